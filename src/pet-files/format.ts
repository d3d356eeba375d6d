import { UserError } from '../domain/errors.ts'

export const PET_FILE_FORMATS = ['ndjson', 'csv'] as const

export type PetFileFormat = (typeof PET_FILE_FORMATS)[number]

/** Stands for standard input or output. */
export const STANDARD_STREAM = '-'

/** @throws UserError when the name does not show the format */
export function formatOfName(file: string): PetFileFormat {
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson'
  if (/\.csv$/i.test(file)) return 'csv'
  const name = file === STANDARD_STREAM ? 'A standard stream' : `The name "${file}"`
  throw new UserError('invalid', `${name} does not show the format; add --format ndjson or --format csv.`)
}

/** @throws UserError when the option is set for another format */
export function checkCsvOption(safeForSpreadsheets: boolean, format: PetFileFormat): void {
  if (safeForSpreadsheets && format !== 'csv') {
    throw new UserError('invalid', '--safe-for-spreadsheets is for CSV files only.')
  }
}
