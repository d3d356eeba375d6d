import { UserError } from '../domain/errors.ts'
import { type CsvPreview, type CsvReading, PREVIEW_BYTES } from '../domain/pet-files.ts'
import { readNames, suggestColumns } from './columns.ts'
import { delimiterOf } from './csv.ts'
import { type CsvRecord, readCsvRecords } from './csv-records.ts'
import { DELIMITERS } from './delimiter.ts'
import { decode, markedEncoding } from './encoding.ts'
import { readLines } from './lines.ts'
import { recogniseEncoding } from './recognise-encoding.ts'
import { refuseForeign } from './refuse-foreign.ts'

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
  let delimiter = reading.delimiter ?? 'comma'
  const records: CsvRecord[] = []
  const lines = readLines(once(isWhole ? text : wholeLines(text)))
  for await (const some of readCsvRecords(lines, line => delimiterOf(line, reading))) {
    delimiter = some.delimiter
    records.push(...some.records.slice(0, MAX_ROWS + 1 - records.length))
  }
  const [first, ...others] = records
  if (!first) throw new UserError('conflict', 'The file has no header.')
  const header = withoutEmptyEnd(readNames(first, DELIMITERS[delimiter], reading.columns))
  const rows = others.flatMap(record => ('values' in record ? [withoutEmptyEnd(record.values, header.length)] : []))
  return { delimiter, encoding, guesses, header, columns: suggestColumns(header, reading.columns), rows }
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
