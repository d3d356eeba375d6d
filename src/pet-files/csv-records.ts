import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import { LINE_TOO_LONG, type Line, LONGEST_LINE } from './lines.ts'
import { NOT_UTF8 } from './pet-line.ts'

/** Its values, or the reason why it has none. */
export type CsvRecord = { line: number; values: string[] } | { line: number; reason: string }

/** Lines that belong together, because a quote is open at the end of each but the last. */
interface Joined {
  /** The first of them, and the last. */
  line: number
  lastLine: number
  text: string
  reason?: string
}

/**
 * The records of a CSV file (RFC 4180), without the empty lines. Where a record begins and ends is decided here, so that one bad record
 * spoils no other, every record is told by its line, and a quote that is never closed does not fill the memory.
 */
export async function* readCsvRecords(batches: AsyncIterable<Line[]>): AsyncIterable<CsvRecord[]> {
  let begun = new BegunRecord()
  for await (const lines of batches) {
    const joined: Joined[] = []
    for (const line of lines) {
      begun.add(line)
      if (begun.isOpen()) continue
      joined.push(join(begun.lines))
      begun = new BegunRecord()
    }
    yield parseAll(joined)
  }
  if (begun.lines.length > 0) yield parseAll([join(begun.lines)])
}

const QUOTE = 34
const COMMA = 44

class BegunRecord {
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

  /** Whether a quote is open at the end, and the record is short enough to go on. */
  isOpen(): boolean {
    return this.#isQuoted && !this.#isTooLong && this.#length <= LONGEST_LINE
  }
}

/** A quote opens at the beginning of a value alone, and is closed by the next that is not doubled. */
function isQuotedAfter(bytes: Buffer, isQuotedBefore: boolean): boolean {
  let isQuoted = isQuotedBefore
  for (let at = bytes.indexOf(QUOTE); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    if (!isQuoted) isQuoted = at === 0 || bytes[at - 1] === COMMA
    else if (bytes[at + 1] === QUOTE) at += 1
    else isQuoted = false
  }
  return isQuoted
}

function join(lines: readonly Line[]): Joined {
  const extent = { line: lines[0]?.number ?? 0, lastLine: lines.at(-1)?.number ?? 0 }
  const bytes = lines.map(line => line.bytes ?? Buffer.alloc(0))
  if (lines.some(line => !line.bytes)) return { ...extent, text: '', reason: LINE_TOO_LONG }
  if (!bytes.every(isUtf8)) return { ...extent, text: '', reason: NOT_UTF8 }
  return { ...extent, text: bytes.join('\n') }
}

/** All at once, which is four times as fast as each by itself; if one of them is bad, each by itself. */
function parseAll(joined: readonly Joined[]): CsvRecord[] {
  const filled = joined.filter(({ text, reason }) => text !== '' || reason !== undefined)
  if (filled.some(({ reason }) => reason !== undefined)) return filled.map(parseOne)
  try {
    const rows = parseText(filled.map(({ text }) => text).join('\n'))
    if (rows.length === filled.length) return rows.map((values, index) => ({ line: filled[index]?.line ?? 0, values }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
  }
  return filled.map(parseOne)
}

function parseOne(record: Joined): CsvRecord {
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
  return 'a value with a quote in it must stand in quotes, and each quote in it be doubled: "Rex ""the King""".'
}

/** An open quote swallows the lines that follow: they are not told each by itself. */
function withExtent(reason: string, { line, lastLine }: Joined): string {
  return line === lastLine ? reason : `${reason} Lines ${line} to ${lastLine} were read as one, for the open quote.`
}
