import { beginningOf } from '../../data/imports.ts'
import type { FileKind } from './draft.ts'

/** Workbooks of spreadsheets are archives. */
const ARCHIVE = 'PK\u0003\u0004'

/** What is in a file, by how it begins: its name may say anything. */
export async function kindOf(file: File): Promise<FileKind> {
  const text = new TextDecoder().decode(await beginningOf(file, 1_024))
  if (text === '') throw new Error(`“${file.name}” is empty. Choose another file.`)
  if (text.startsWith(ARCHIVE)) {
    throw new Error(`“${file.name}” is a workbook. Open it in the spreadsheet, save it as CSV, and choose that file.`)
  }
  return text.trimStart().startsWith('{') ? 'ndjson' : 'csv'
}
