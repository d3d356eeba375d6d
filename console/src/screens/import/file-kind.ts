import { FOREIGN_FILE_BYTES, recogniseForeignFile } from '../../../../src/domain/foreign-files.ts'
import { beginningOf } from '../../data/imports.ts'
import type { FileKind } from './draft.ts'

/** Detects the type of a file from its first bytes, because its name may say anything. */
export async function kindOf(file: File): Promise<FileKind> {
  const bytes = await beginningOf(file, FOREIGN_FILE_BYTES)
  const text = new TextDecoder().decode(bytes)
  if (text === '') throw new Error('The file is empty. Choose another one.')
  const kind = text.trimStart().startsWith('{') ? 'ndjson' : 'csv'
  const foreign = recogniseForeignFile(new Uint8Array(bytes), kind)
  if (foreign !== undefined) throw new Error(`The file is ${foreign}`)
  if (!isText(bytes)) throw new Error('The file does not contain text. Choose a CSV or NDJSON file.')
  return kind
}

/** Whether the bytes are text without NUL in one of the encodings that the service reads. Pictures and programs are not. */
function isText(bytes: ArrayBuffer): boolean {
  return (['utf-8', 'utf-16le', 'utf-16be'] as const).some(encoding => {
    try {
      const text = new TextDecoder(encoding, { fatal: encoding !== 'utf-8' }).decode(bytes, { stream: true })
      return !text.includes('\0')
    } catch {
      return false
    }
  })
}
