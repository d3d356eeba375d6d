import { beginningOf } from '../../data/imports.ts'
import type { FileKind } from './draft.ts'

/** Spreadsheet workbooks are ZIP archives. */
const ARCHIVE = 'PK\u0003\u0004'
/** PDF files begin with text. */
const PDF = '%PDF-'

/** Detects the type of a file from its first bytes, because its name may say anything. */
export async function kindOf(file: File): Promise<FileKind> {
  const bytes = await beginningOf(file, 1_024)
  const text = new TextDecoder().decode(bytes)
  if (text === '') throw new Error('The file is empty. Choose another one.')
  if (text.startsWith(ARCHIVE)) {
    throw new Error('The file is a workbook. Open it in the spreadsheet, save it as CSV, and choose that file.')
  }
  if (text.startsWith(PDF) || !isText(bytes)) {
    throw new Error('The file does not contain text. Choose a CSV or NDJSON file.')
  }
  return text.trimStart().startsWith('{') ? 'ndjson' : 'csv'
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
