/** Far more than any animal needs. */
export const MAX_LINE_BYTES = 65_536

export const LINE_TOO_LONG = `it is longer than ${MAX_LINE_BYTES} bytes.`

export interface Line {
  /** From 1. */
  number: number
  /** Without the line feed and a carriage return before it; undefined when the line is too long. */
  bytes: Buffer | undefined
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** Splits a file into lines as its chunks arrive. Skips empty lines, which still have a number, and a byte order mark at the start. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncIterable<Line[]> {
  let number = 0
  let unfinished = new UnfinishedLine()
  const end = (rest: Buffer): Line[] => {
    unfinished.add(rest)
    const bytes = unfinished.end(++number === 1)
    unfinished = new UnfinishedLine()
    return bytes?.length === 0 ? [] : [{ number, bytes }]
  }
  for await (const chunk of chunks) {
    const lines: Line[] = []
    let start = 0
    for (;;) {
      // A file may have millions of empty lines. This loop skips them at almost no cost.
      if (unfinished.length === 0) {
        for (let length = emptyLineAt(chunk, start); length > 0; length = emptyLineAt(chunk, start)) {
          start += length
          number += 1
        }
      }
      const feed = chunk.indexOf(LINE_FEED, start)
      if (feed === -1) break
      lines.push(...end(chunk.subarray(start, feed)))
      start = feed + 1
    }
    unfinished.add(chunk.subarray(start))
    if (lines.length > 0) yield lines
  }
  if (unfinished.length > 0) yield end(Buffer.alloc(0))
}

/** The length of the empty line at this position, including its line end; 0 if there is none. */
function emptyLineAt(bytes: Buffer, start: number): number {
  if (bytes[start] === LINE_FEED) return 1
  return bytes[start] === CARRIAGE_RETURN && bytes[start + 1] === LINE_FEED ? 2 : 0
}

/** A line whose end has not arrived. If it is too long, only its length is kept. */
class UnfinishedLine {
  length = 0
  #parts: Buffer[] = []

  add(part: Buffer): void {
    this.length += part.length
    if (this.length > MAX_LINE_BYTES) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  end(isFirst: boolean): Buffer | undefined {
    if (this.length > MAX_LINE_BYTES) return undefined
    const [only = Buffer.alloc(0)] = this.#parts
    let bytes = this.#parts.length > 1 ? Buffer.concat(this.#parts) : only
    if (bytes.at(-1) === CARRIAGE_RETURN) bytes = bytes.subarray(0, -1)
    if (isFirst && bytes.indexOf(BYTE_ORDER_MARK) === 0) bytes = bytes.subarray(BYTE_ORDER_MARK.length)
    return bytes
  }
}
