/** Bytes; no animal needs as many. */
export const LONGEST_LINE = 65_536

export const LINE_TOO_LONG = `it is longer than ${LONGEST_LINE} bytes.`

export interface Line {
  /** From 1. */
  number: number
  /** Without the line feed, and without a carriage return before it; undefined where the line is too long to be kept. */
  bytes: Buffer | undefined
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** The lines of a file as its chunks come in. A byte order mark at the very beginning is no part of the first line. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncIterable<Line[]> {
  let number = 0
  let begun = new BegunLine()
  const end = (bytes: Buffer): Line => {
    begun.add(bytes)
    const line = { number: ++number, bytes: begun.end(number === 1) }
    begun = new BegunLine()
    return line
  }
  for await (const chunk of chunks) {
    const lines: Line[] = []
    let start = 0
    for (let feed = chunk.indexOf(LINE_FEED); feed !== -1; feed = chunk.indexOf(LINE_FEED, start)) {
      lines.push(end(chunk.subarray(start, feed)))
      start = feed + 1
    }
    begun.add(chunk.subarray(start))
    if (lines.length > 0) yield lines
  }
  if (begun.length > 0) yield [end(Buffer.alloc(0))]
}

/** A line whose end has not come yet. Of one that is too long only the length is kept. */
class BegunLine {
  length = 0
  #parts: Buffer[] = []

  add(part: Buffer): void {
    this.length += part.length
    if (this.length > LONGEST_LINE) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  end(isFirst: boolean): Buffer | undefined {
    if (this.length > LONGEST_LINE) return undefined
    const [only = Buffer.alloc(0)] = this.#parts
    let bytes = this.#parts.length > 1 ? Buffer.concat(this.#parts) : only
    if (bytes.at(-1) === CARRIAGE_RETURN) bytes = bytes.subarray(0, -1)
    if (isFirst && bytes.indexOf(BYTE_ORDER_MARK) === 0) bytes = bytes.subarray(BYTE_ORDER_MARK.length)
    return bytes
  }
}
