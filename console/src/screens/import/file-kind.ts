import { beginningOf } from '../../data/imports.ts'
import { readText } from '../../lib/read-text.ts'
import type { FileKind } from './draft.ts'

/** Spreadsheet workbooks are ZIP archives. */
const ARCHIVE = 'PK\u0003\u0004'
/** PDF files begin with text. */
const PDF = '%PDF-'

/** Detects the type of a file from its first bytes, because its name may say anything. */
export async function kindOf(file: File): Promise<FileKind> {
  const bytes = await beginningOf(file, 1_024)
  const text = readText(bytes)
  if (text === '') throw new Error('The file is empty. Choose another one.')
  if (new TextDecoder().decode(bytes).startsWith(ARCHIVE)) {
    throw new Error('The file is a workbook. Open it in the spreadsheet, save it as CSV, and choose that file.')
  }
  if (text === undefined || text.startsWith(PDF)) {
    throw new Error('The file does not contain text. Choose a CSV or NDJSON file.')
  }
  return text.trimStart().startsWith('{') ? 'ndjson' : 'csv'
}
