import { isUtf8 } from 'node:buffer'
import type { CsvDelimiter } from '../domain/pet-files.ts'
import { CsvValues } from './csv-values.ts'
import { DELIMITERS, declaredDelimiter } from './delimiter.ts'
import { HAS_NUL_BYTES, LINE_TOO_LONG, type Line, MAX_LINE_BYTES } from './lines.ts'

/** A record with the number of its first line, and its values or the reason why they cannot be read. */
export type CsvRecord = { line: number; values: string[] } | { line: number; reason: string }

/** Adds the empty values at the end of the rows of a workbook, which leaves them out. */
export function fillRows(records: readonly CsvRecord[], width: number): void {
  for (const record of records) if ('values' in record) fillUp(record.values, width)
}

export function fillUp(values: string[], width: number): void {
  while (values.length < width) values.push('')
}

/** A part of a CSV file, which has a delimiter, or of a workbook, which has sheets. */
export interface Table {
  delimiter?: CsvDelimiter | undefined
  sheets?: readonly string[]
  records: readonly CsvRecord[]
}

/**
 * Reads the records of a CSV file (RFC 4180), and skips those without a value. A bad record does not affect others, each is reported with its
 * line, and an unclosed quote does not fill the memory.
 * @param recognise returns the delimiter for the lines from the first one with a value, unless a line before it declares it
 */
export async function* readCsvRecords(
  batches: AsyncIterable<Line[]>,
  recognise: (lines: readonly string[]) => CsvDelimiter,
): AsyncIterable<Table> {
  let delimiter: CsvDelimiter | undefined
  let unfinished: UnfinishedRecord | undefined
  for await (const lines of batches) {
    const records: CsvRecord[] = []
    for (const [at, line] of lines.entries()) {
      if (delimiter === undefined) {
        const text = textOf(line)
        if (line.bytes && NOT_A_HEADER.test(text)) continue
        const declared = declaredDelimiter(text)
        delimiter = declared ?? recognise(lines.slice(at).map(textOf))
        if (declared) continue
      }
      unfinished ??= new UnfinishedRecord(line.number, DELIMITERS[delimiter])
      unfinished.add(line)
      if (unfinished.isOpen) continue
      records.push(...unfinished.end())
      unfinished = undefined
    }
    if (delimiter) yield { delimiter, records }
  }
  if (delimiter && unfinished) yield { delimiter, records: unfinished.end() }
}

const textOf = ({ bytes }: Line) => bytes?.toString() ?? ''

/** A line without a value, whatever the delimiter is; or the first line of a file by PowerShell, which names a type. */
const NOT_A_HEADER = /^(?:(?:[\s,;|]|"\s*")*$|#TYPE )/

const NOT_UTF8 = 'it is not valid UTF-8, unlike the rest of the file.'
const NOT_CLOSED = 'it opens a quote that is not closed.'

/** The lines of one record: at the end of each line except the last, a quote is open. */
class UnfinishedRecord {
  readonly #line: number
  readonly #content: CsvValues
  #lastLine: number
  #length = 0
  #reason: string | undefined

  constructor(line: number, delimiter: string) {
    this.#line = line
    this.#lastLine = line
    this.#content = new CsvValues(delimiter)
  }

  /** Whether a quote is open at the end, and the record is short enough to continue. */
  get isOpen(): boolean {
    return this.#content.isOpen && this.#reason !== LINE_TOO_LONG && this.#length <= MAX_LINE_BYTES
  }

  add({ number, bytes }: Line): void {
    this.#lastLine = number
    if (!bytes) {
      this.#reason = LINE_TOO_LONG
      return
    }
    this.#length += bytes.length + 1
    const text = bytes.toString()
    if (!isUtf8(bytes)) this.#reason ??= NOT_UTF8
    else if (text.includes('\0')) this.#reason ??= HAS_NUL_BYTES
    this.#content.add(text)
  }

  /** The record, unless it has no value. */
  end(): CsvRecord[] {
    const { isOpen, values } = this.#content
    const reason = this.#reason ?? this.#content.reason ?? (isOpen ? NOT_CLOSED : undefined)
    if (reason !== undefined) return [{ line: this.#line, reason: this.#withExtent(reason) }]
    return values.every(value => value.trim() === '') ? [] : [{ line: this.#line, values }]
  }

  /** An open quote swallows the lines that follow it; they are not reported one by one. */
  #withExtent(reason: string): string {
    if (this.#line === this.#lastLine) return reason
    return `${reason} Lines ${this.#line} to ${this.#lastLine} were read as one because of the open quote.`
  }
}
