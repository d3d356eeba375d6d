import { UserError } from '../domain/errors.ts'
import { type CsvPreview, type CsvReading, PREVIEW_BYTES } from '../domain/pet-files.ts'
import { suggestColumns } from './columns.ts'
import { delimiterOf } from './csv.ts'
import { type CsvRecord, readCsvRecords } from './csv-records.ts'
import { decode, markedEncoding } from './encoding.ts'
import { readLines } from './lines.ts'
import { recogniseEncoding } from './recognise-encoding.ts'

const MAX_ROWS = 20

/**
 * Shows how the beginning of a CSV file would be read.
 * @throws UserError when it has no header
 */
export async function previewCsv(start: Buffer, reading: CsvReading): Promise<CsvPreview> {
  const isWhole = start.length < PREVIEW_BYTES
  const recognised = await recogniseEncoding(() => once(isWhole ? start : wholeLines(start)))
  const [shown, guesses] = typeof recognised === 'string' ? [recognised, []] : [undefined, recognised]
  const encoding = markedEncoding(start) ?? reading.encoding ?? shown
  const text = Buffer.concat(await Array.fromAsync(decode(once(start), encoding ?? guesses[0]?.encoding, isWhole)))
  let delimiter = reading.delimiter ?? 'comma'
  const recognise = (header: string) => {
    delimiter = delimiterOf(header, reading)
    return delimiter
  }
  const records: CsvRecord[] = []
  for await (const some of readCsvRecords(readLines(once(isWhole ? text : wholeLines(text))), recognise)) {
    records.push(...some.slice(0, MAX_ROWS + 1 - records.length))
  }
  const [first, ...others] = records
  if (!first || 'reason' in first) throw new UserError('conflict', 'The file has no readable header.')
  const header = first.values
  const rows = others.flatMap(record => ('values' in record ? [record.values] : []))
  return { delimiter, encoding, guesses, header, columns: suggestColumns(header, reading.columns), rows }
}

/** Without the last line, which may be cut off. */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.max(bytes.lastIndexOf('\n'), bytes.lastIndexOf('\r')) + 1)
}

async function* once(bytes: Buffer): AsyncIterable<Buffer> {
  yield bytes
}
