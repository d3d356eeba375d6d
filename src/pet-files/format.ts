import { Mistake } from '../domain/errors.ts'

export const PET_FILE_FORMATS = ['ndjson', 'csv'] as const

export type PetFileFormat = (typeof PET_FILE_FORMATS)[number]

/** What stands for standard input or output in place of a file's name. */
export const STANDARD_STREAM = '-'

/** @throws Mistake when the name does not show the format */
export function formatOfName(file: string): PetFileFormat {
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson'
  if (/\.csv$/i.test(file)) return 'csv'
  const name = file === STANDARD_STREAM ? 'A standard stream' : `The name "${file}"`
  throw new Mistake('invalid', `${name} does not tell the format; say --format ndjson or --format csv.`)
}

/** @throws Mistake when it is given for another format, which needs none of it */
export function checkCsvOption(safeForSpreadsheets: boolean, format: PetFileFormat): void {
  if (safeForSpreadsheets && format !== 'csv') {
    throw new Mistake('invalid', '--safe-for-spreadsheets is for CSV files only.')
  }
}
