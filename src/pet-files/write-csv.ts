import type { Pet } from '../domain/pet.ts'
import { type CsvDelimiter, kindOf, PET_MEMBERS } from '../domain/pet-files.ts'
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
  const formatText = safeForSpreadsheets ? guard : String
  const formats = PET_MEMBERS.map(member => (kindOf(member) === 'text' ? formatText : String))
  const rows = pets.map(pet => {
    const values = PET_MEMBERS.map((member, index) => formats[index]?.(String(pet[member] ?? '')) ?? '')
    return formatCsvRow(values, DELIMITERS[delimiter])
  })
  return rows.map(row => `${row}\n`).join('')
}
