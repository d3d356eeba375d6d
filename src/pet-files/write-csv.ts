import type { Pet } from '../domain/pet.ts'
import { type CsvDelimiter, PET_MEMBERS } from '../domain/pet-files.ts'
import { BYTE_ORDER_MARK, formatCsvRow } from '../schema/csv-rows.ts'
import { guard } from '../schema/formula-guard.ts'
import { DELIMITERS } from './delimiter.ts'

export interface CsvWriting {
  delimiter?: CsvDelimiter
  /** Whether names are guarded from being read as formulas. */
  safeForSpreadsheets?: boolean
}

export function formatCsvHeader({ delimiter = 'comma' }: CsvWriting = {}): string {
  return `${BYTE_ORDER_MARK}${formatCsvRow(PET_MEMBERS, DELIMITERS[delimiter])}\n`
}

export function formatCsv(
  pets: readonly Pet[],
  { safeForSpreadsheets = false, delimiter = 'comma' }: CsvWriting = {},
): string {
  const nameOf = safeForSpreadsheets ? guard : (name: string) => name
  const rows = pets.map(({ id, name, categoryId, status }) =>
    formatCsvRow([String(id), nameOf(name), String(categoryId), status], DELIMITERS[delimiter]),
  )
  return rows.map(row => `${row}\n`).join('')
}
