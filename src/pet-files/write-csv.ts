import { stringify } from 'csv-stringify/sync'
import type { Pet } from '../domain/pet.ts'
import { type CsvDelimiter, PET_MEMBERS } from '../domain/pet-files.ts'
import { DELIMITERS } from './delimiter.ts'
import { guard } from './formula-guard.ts'

export interface CsvWriting {
  delimiter?: CsvDelimiter
  /** Whether names that a spreadsheet would read as a formula are guarded. */
  safeForSpreadsheets?: boolean
}

export function formatCsvHeader({ delimiter = 'comma' }: CsvWriting = {}): string {
  return `${PET_MEMBERS.join(DELIMITERS[delimiter])}\n`
}

export function formatCsv(
  pets: readonly Pet[],
  { safeForSpreadsheets = false, delimiter = 'comma' }: CsvWriting = {},
): string {
  const nameOf = safeForSpreadsheets ? guard : (name: string) => name
  return stringify(
    pets.map(({ id, name, categoryId, status }) => [String(id), nameOf(name), String(categoryId), status]),
    { delimiter: DELIMITERS[delimiter], quoted_match: BLANK_AT_AN_END },
  )
}

/** Outside quotes, an import ignores blanks around a name. */
const BLANK_AT_AN_END = /^\s|\s$/
