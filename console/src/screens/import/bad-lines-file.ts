import { upload } from '../../api/upload.ts'
import { beginningOf } from '../../data/imports.ts'
import type { Draft } from './draft.ts'
import { newRequestId, TYPES } from './run.ts'

/** Sends the file once more, and gets all of its bad lines as CSV for a spreadsheet. */
export async function badLinesFile({ file, kind, query }: Draft, signal: AbortSignal): Promise<Blob> {
  await beginningOf(file, 1)
  const { skipBad: _, file: __, ...reading } = query
  const options = { query: reading, requestId: newRequestId(), idempotencyKey: undefined, signal, onProgress: () => {} }
  return upload('/pets/import/bad-lines', file, TYPES[kind], options)
}

/** Makes the browser save a file. */
export function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  // The browser reads the file after this.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
