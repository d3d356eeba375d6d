import { conflict } from '../domain/errors.ts'
import { type CsvDelimiter, type CsvPreview, type CsvReading, PREVIEW_BYTES } from '../domain/pet-files.ts'
import { readNames, suggestColumns, withoutTitles } from './columns.ts'
import { readCsvTable } from './csv.ts'
import { type CsvRecord, fillRows } from './csv-records.ts'
import { decode, markedEncoding } from './encoding.ts'
import { readLines } from './lines.ts'
import { recogniseEncoding } from './recognise-encoding.ts'
import { ensureNotForeign, refuseForeign } from './refuse-foreign.ts'
import { readWorkbook } from './workbook/read-workbook.ts'
import type { FileSource } from './workbook/zip.ts'

const MAX_ROWS = 20

/**
 * Shows how the beginning of a CSV file would be read.
 * @throws UserError when it has no header, or is something else than CSV
 */
export async function previewCsv(start: Buffer, reading: CsvReading): Promise<CsvPreview> {
  const isWhole = start.length < PREVIEW_BYTES
  const recognised = await recogniseEncoding(() => refuseForeign(once(isWhole ? start : wholeLines(start)), 'csv'))
  const [shown, guesses] = typeof recognised === 'string' ? [recognised, []] : [undefined, recognised]
  const encoding = markedEncoding(start) ?? reading.encoding ?? shown
  const text = Buffer.concat(await Array.fromAsync(decode(once(start), encoding ?? guesses[0]?.encoding, isWhole)))
  const lines = readLines(once(isWhole ? text : wholeLines(text)))
  const { delimiter = 'comma', records } = await readFirst(readCsvTable(lines, reading))
  return { delimiter, sheets: [], encoding, guesses, ...describe(records, delimiter, reading) }
}

/**
 * The same for a workbook, of which only the first rows are read.
 * @throws UserError when it has no header, or cannot be read
 */
export async function previewWorkbook(source: FileSource, reading: CsvReading): Promise<CsvPreview> {
  await ensureNotForeign(source.open(0), 'xlsx')
  const { sheets = [], records } = await readFirst(readWorkbook(source, reading.sheet))
  return { delimiter: undefined, sheets, encoding: 'utf-8', guesses: [], ...describe(records, undefined, reading) }
}

/** The header and the first rows, with what else the first part of a table has. */
async function readFirst<Part extends { records: readonly CsvRecord[] }>(
  parts: AsyncIterable<Part>,
): Promise<Partial<Part> & { records: CsvRecord[] }> {
  let first: Part | undefined
  const records: CsvRecord[] = []
  for await (const part of parts) {
    first ??= part
    records.push(...part.records.slice(0, MAX_ROWS + 1 - records.length))
    if (records.length > MAX_ROWS) break
  }
  return { ...first, records } as Partial<Part> & { records: CsvRecord[] }
}

function describe(records: readonly CsvRecord[], delimiter: CsvDelimiter | undefined, reading: CsvReading) {
  const [first, ...others] = withoutTitles(records, reading.columns)
  if (!first) throw conflict('The file has no header.')
  const header = withoutEmptyEnd(readNames(first, { delimiter, records }, reading.columns))
  if (delimiter === undefined) fillRows(others, header.length)
  const rows = others.flatMap(record => ('values' in record ? [withoutEmptyEnd(record.values, header.length)] : []))
  return { header, columns: columnsFor(header, rows, reading), rows }
}

/** Files from other systems have ids of their own. If they are not numbers, they are not ours. */
function columnsFor(header: readonly string[], rows: readonly (readonly string[])[], { columns = {} }: CsvReading) {
  const suggested = suggestColumns(header, columns)
  const at = suggested.id === undefined ? -1 : header.indexOf(suggested.id)
  const hasForeignIds = at !== -1 && rows.some(row => /[^\d\s.,]/.test(row[at] ?? ''))
  return hasForeignIds ? suggestColumns(header, columns, 'own') : suggested
}

/** Without the last line, which may be cut off. */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.max(bytes.lastIndexOf('\n'), bytes.lastIndexOf('\r')) + 1)
}

/** Spreadsheets fill rows up with empty values. */
function withoutEmptyEnd(values: string[], width = 0): string[] {
  return values.slice(0, Math.max(width, values.findLastIndex(value => value.trim() !== '') + 1))
}

async function* once(bytes: Buffer): AsyncIterable<Buffer> {
  yield bytes
}
