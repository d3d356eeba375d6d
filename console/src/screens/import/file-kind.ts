import { FOREIGN_FILE_BYTES, recogniseForeignFile } from '../../../../src/domain/foreign-files.ts'
import { beginningOf } from '../../data/imports.ts'
import { readText } from '../../lib/read-text.ts'
import type { FileKind } from './draft.ts'

/** Detects the type of a file from its first bytes, because its name may say anything. */
export async function kindOf(file: File): Promise<FileKind> {
  const bytes = await beginningOf(file, FOREIGN_FILE_BYTES)
  const text = readText(bytes)
  if (text === '') throw new Error('The file is empty. Choose another one.')
  const kind = text?.trimStart().startsWith('{') ? 'ndjson' : 'csv'
  const foreign = recogniseForeignFile(new Uint8Array(bytes), kind)
  if (foreign !== undefined) throw new Error(`The file is ${foreign}`)
  if (text === undefined) throw new Error('The file does not contain text. Choose a CSV or NDJSON file.')
  return kind
}
