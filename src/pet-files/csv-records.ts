import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import { LINE_TOO_LONG, type Line, MAX_LINE_BYTES } from './lines.ts'
import { NOT_UTF8 } from './pet-line.ts'

/** A record with the number of its first line, and its values or the reason why they cannot be read. */
export type CsvRecord = { line: number; values: string[] } | { line: number; reason: string }

/** The lines of one record: a quote is open at the end of each but the last. */
interface RawRecord {
  line: number
  lastLine: number
  text: string
  reason?: string
}

/**
 * Reads the records of a CSV file (RFC 4180) and skips empty lines. Where a record begins and ends is decided here and not by the parser,
 * so that a bad record does not spoil others, each is reported with its line, and an unclosed quote does not fill the memory.
 */
export async function* readCsvRecords(batches: AsyncIterable<Line[]>): AsyncIterable<CsvRecord[]> {
  let unfinished = new UnfinishedRecord()
  for await (const lines of batches) {
    const records: RawRecord[] = []
    for (const line of lines) {
      unfinished.add(line)
      if (unfinished.isOpen()) continue
      records.push(join(unfinished.lines))
      unfinished = new UnfinishedRecord()
    }
    yield parseAll(records)
  }
  if (unfinished.lines.length > 0) yield parseAll([join(unfinished.lines)])
}

const QUOTE = 34
const COMMA = 44

class UnfinishedRecord {
  readonly lines: Line[] = []
  #length = 0
  #isQuoted = false
  #isTooLong = false

  add(line: Line): void {
    const { bytes } = line
    this.lines.push(line)
    if (!bytes) {
      this.#isTooLong = true
      return
    }
    this.#length += bytes.length + 1
    this.#isQuoted = isQuotedAfter(bytes, this.#isQuoted)
  }

  /** Whether a quote is open at the end, and the record is short enough to continue. */
  isOpen(): boolean {
    return this.#isQuoted && !this.#isTooLong && this.#length <= MAX_LINE_BYTES
  }
}

/** Only a quote at the start of a value opens it; the next quote that is not doubled closes it. */
function isQuotedAfter(bytes: Buffer, isQuotedBefore: boolean): boolean {
  let isQuoted = isQuotedBefore
  for (let at = bytes.indexOf(QUOTE); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    if (!isQuoted) isQuoted = at === 0 || bytes[at - 1] === COMMA
    else if (bytes[at + 1] === QUOTE) at += 1
    else isQuoted = false
  }
  return isQuoted
}

function join(lines: readonly Line[]): RawRecord {
  const extent = { line: lines[0]?.number ?? 0, lastLine: lines.at(-1)?.number ?? 0 }
  const bytes = lines.map(line => line.bytes ?? Buffer.alloc(0))
  if (lines.some(line => !line.bytes)) return { ...extent, text: '', reason: LINE_TOO_LONG }
  if (!bytes.every(isUtf8)) return { ...extent, text: '', reason: NOT_UTF8 }
  return { ...extent, text: bytes.join('\n') }
}

/** Parses all records at once, which is four times as fast as one at a time. If one is bad, each is parsed alone. */
function parseAll(records: readonly RawRecord[]): CsvRecord[] {
  const filled = records.filter(({ text, reason }) => text !== '' || reason !== undefined)
  if (filled.some(({ reason }) => reason !== undefined)) return filled.map(parseOne)
  try {
    const rows = parseText(filled.map(({ text }) => text).join('\n'))
    if (rows.length === filled.length) return rows.map((values, index) => ({ line: filled[index]?.line ?? 0, values }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
  }
  return filled.map(parseOne)
}

function parseOne(record: RawRecord): CsvRecord {
  const { line, text, reason } = record
  if (reason !== undefined) return { line, reason: withExtent(reason, record) }
  try {
    const [values = []] = parseText(text)
    return { line, values }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return { line, reason: withExtent(reasonOf(error), record) }
  }
}

function parseText(text: string): string[][] {
  return parse(text, { record_delimiter: '\n', relax_column_count: true })
}

function reasonOf({ code }: CsvError): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'it opens a quote that is not closed.'
  return 'a value that contains a quote must be in quotes, with the inner quotes doubled: "Rex ""the King""".'
}

/** An open quote includes the lines that follow it; they are not reported one by one. */
function withExtent(reason: string, { line, lastLine }: RawRecord): string {
  return line === lastLine
    ? reason
    : `${reason} Lines ${line} to ${lastLine} were read as one because of the open quote.`
}
