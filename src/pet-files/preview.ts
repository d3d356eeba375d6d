import { UserError } from '../domain/errors.ts'
import { type CsvEncoding, type CsvPreview, type CsvReading, PREVIEW_BYTES } from '../domain/pet-files.ts'
import { readNames, suggestColumns } from './columns.ts'
import { delimiterOf } from './csv.ts'
import { type CsvRecord, readCsvRecords } from './csv-records.ts'
import { DELIMITERS } from './delimiter.ts'
import { decode } from './encoding.ts'
import { readLines } from './lines.ts'
import { refuseForeign } from './refuse-foreign.ts'

const MAX_ROWS = 20

/**
 * Shows how the beginning of a CSV file would be read.
 * @throws UserError when it has no header, or is something else than CSV
 */
export async function previewCsv(start: Buffer, reading: CsvReading): Promise<CsvPreview> {
  let encoding: CsvEncoding = 'utf-8'
  let delimiter = reading.delimiter ?? 'comma'
  // The last line may be cut off, so it is dropped.
  const lastEnd = Math.max(start.lastIndexOf('\n'), start.lastIndexOf('\r'))
  const bytes = start.length < PREVIEW_BYTES ? start : start.subarray(0, lastEnd + 1)
  const lines = readLines(
    decode(refuseForeign(once(bytes), 'csv'), reading.encoding, recognised => {
      encoding = recognised
    }),
  )
  const records: CsvRecord[] = []
  for await (const some of readCsvRecords(lines, line => delimiterOf(line, reading))) {
    delimiter = some.delimiter
    records.push(...some.records.slice(0, MAX_ROWS + 1 - records.length))
  }
  const [first, ...others] = records
  if (!first) throw new UserError('conflict', 'The file has no header.')
  const header = withoutEmptyEnd(readNames(first, DELIMITERS[delimiter], reading.columns))
  const rows = others.flatMap(record => ('values' in record ? [withoutEmptyEnd(record.values, header.length)] : []))
  return { delimiter, encoding, header, columns: suggestColumns(header, reading.columns), rows }
}

/** Spreadsheets fill rows up with empty values. */
function withoutEmptyEnd(values: string[], width = 0): string[] {
  return values.slice(0, Math.max(width, values.findLastIndex(value => value.trim() !== '') + 1))
}

async function* once(bytes: Buffer): AsyncIterable<Buffer> {
  yield bytes
}
