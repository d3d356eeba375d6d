import { invalid } from '../domain/errors.ts'
import type { CsvDelimiter, PetFileFormat } from '../domain/pet-files.ts'

/** Stands for standard input or output. */
export const STANDARD_STREAM = '-'

/**
 * An import also reads workbooks with macros.
 * @throws UserError when the name does not show the format
 */
export function importFormatOfName(file: string): PetFileFormat {
  return /\.xlsm$/i.test(file) ? 'xlsx' : formatOfName(file)
}

/** @throws UserError when the name does not show the format */
export function formatOfName(file: string): PetFileFormat {
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson'
  if (/\.(csv|tsv)$/i.test(file)) return 'csv'
  if (/\.xlsx$/i.test(file)) return 'xlsx'
  const name = file === STANDARD_STREAM ? 'A standard stream' : `The name "${file}"`
  throw invalid(`${name} does not show the format; add --format ndjson, --format csv or --format xlsx.`)
}

export function delimiterOfName(file: string): CsvDelimiter {
  return /\.tsv$/i.test(file) ? 'tab' : 'comma'
}
