import { beginningOf } from '../../data/imports.ts'
import type { FileKind } from './draft.ts'

/** Workbooks of spreadsheets are archives. */
const ARCHIVE = 'PK\u0003\u0004'
/** It begins with text. */
const PDF = '%PDF-'

/** What is in a file, by how it begins: its name may say anything. */
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

/** Whether it is free of NUL in one of the encodings that the service reads: pictures and programs are not. */
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
