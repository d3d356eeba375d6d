import { UserError } from '../domain/errors.ts'
import { type CsvEncoding, type CsvPreview, type CsvReading, PREVIEW_BYTES } from '../domain/pet-files.ts'
import { suggestColumns } from './columns.ts'
import { delimiterOf } from './csv.ts'
import { type CsvRecord, readCsvRecords } from './csv-records.ts'
import { decode } from './encoding.ts'
import { readLines } from './lines.ts'

const MAX_ROWS = 20

/**
 * Shows how the beginning of a CSV file would be read.
 * @throws UserError when it has no header
 */
export async function previewCsv(start: Buffer, reading: CsvReading): Promise<CsvPreview> {
  let encoding: CsvEncoding = 'utf-8'
  let delimiter = reading.delimiter ?? 'comma'
  // The last line may be cut off, so it is dropped.
  const bytes = start.length < PREVIEW_BYTES ? start : start.subarray(0, start.lastIndexOf('\n') + 1)
  const lines = readLines(
    decode(once(bytes), reading.encoding, recognised => {
      encoding = recognised
    }),
  )
  const recognise = (header: string) => {
    delimiter = delimiterOf(header, reading)
    return delimiter
  }
  const records: CsvRecord[] = []
  for await (const some of readCsvRecords(lines, recognise)) {
    records.push(...some.slice(0, MAX_ROWS + 1 - records.length))
  }
  const [first, ...others] = records
  if (!first || 'reason' in first) throw new UserError('conflict', 'The file has no readable header.')
  const header = first.values
  const rows = others.flatMap(record => ('values' in record ? [record.values] : []))
  return { delimiter, encoding, header, columns: suggestColumns(header, reading.columns), rows }
}

async function* once(bytes: Buffer): AsyncIterable<Buffer> {
  yield bytes
}
