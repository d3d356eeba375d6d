import { readBadLines } from '../../api/import-answer.ts'
import type { BadLine } from '../../api/schema.ts'

/** All bad lines of a response as CSV for a spreadsheet, one row for each problem. Finished parts are Blobs, because the file may be large. */
export async function badLinesFile(answer: Blob): Promise<Blob> {
  // A byte order mark: without it, spreadsheets do not read the file as UTF-8.
  const parts = [new Blob(['\ufeffline,member,value,reason\r\n'])]
  for await (const some of readBadLines(answer)) {
    if (some.length > 0) parts.push(new Blob([some.map(formatLine).join('')]))
  }
  return new Blob(parts, { type: 'text/csv' })
}

function formatLine({ line, reason, problems }: BadLine): string {
  const rows = problems.length > 0 ? problems : [{ member: '', value: null, reason }]
  return rows.map(one => `${[String(line), one.member, one.value ?? '', one.reason].map(quote).join(',')}\r\n`).join('')
}

/** Matches text that a spreadsheet would read as a formula. A negative number is not a formula. */
const FORMULA = /^[=+@\t\r]|^-(?!\d+$)/

function quote(value: string): string {
  const safe = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Makes the browser save a file. */
export function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  // The browser reads the file after this.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
