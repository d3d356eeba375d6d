import { UserError } from '../domain/errors.ts'
import type { CsvDelimiter, ImportFormat, PetFileFormat } from '../domain/pet-files.ts'

/** Stands for standard input or output. */
export const STANDARD_STREAM = '-'

/** @throws UserError when the name does not show the format of an import */
export function importFormatOfName(file: string): ImportFormat {
  return /\.xls[xm]$/i.test(file) ? 'xlsx' : formatOfName(file)
}

/** @throws UserError when the name does not show the format */
export function formatOfName(file: string): PetFileFormat {
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson'
  if (/\.(csv|tsv)$/i.test(file)) return 'csv'
  const name = file === STANDARD_STREAM ? 'A standard stream' : `The name "${file}"`
  throw new UserError('invalid', `${name} does not show the format; add --format ndjson or --format csv.`)
}

export function delimiterOfName(file: string): CsvDelimiter {
  return /\.tsv$/i.test(file) ? 'tab' : 'comma'
}
