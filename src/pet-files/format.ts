import { invalid } from '../domain/errors.ts'
import { type CsvDelimiter, PET_FILE_FORMATS, type PetFileFormat } from '../domain/pet-files.ts'

/** Stands for standard input or output. */
export const STANDARD_STREAM = '-'

/**
 * An import also reads workbooks with macros.
 * @throws UserError when the name does not show the format
 */
export function importFormatOfName(file: string, allowed?: readonly PetFileFormat[]): PetFileFormat {
  return /\.xlsm$/i.test(file) ? 'xlsx' : formatOfName(file, allowed)
}

/**
 * @param allowed those that the option accepts
 * @throws UserError when the name does not show the format
 */
export function formatOfName(file: string, allowed: readonly PetFileFormat[] = PET_FILE_FORMATS): PetFileFormat {
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson'
  if (/\.(csv|tsv)$/i.test(file)) return 'csv'
  if (/\.xlsx$/i.test(file)) return 'xlsx'
  const name = file === STANDARD_STREAM ? 'A standard stream' : `The name "${file}"`
  const options = allowed.map(format => `--format ${format}`)
  throw invalid(`${name} does not show the format; add ${options.slice(0, -1).join(', ')} or ${options.at(-1)}.`)
}

export function delimiterOfName(file: string): CsvDelimiter {
  return /\.tsv$/i.test(file) ? 'tab' : 'comma'
}
