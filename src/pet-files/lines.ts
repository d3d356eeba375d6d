/** Far more than any animal needs. */
export const MAX_LINE_BYTES = 65_536

export const LINE_TOO_LONG = `it is longer than ${MAX_LINE_BYTES} bytes.`

/** Disks and transfers that fail leave them behind. */
export const HAS_NUL_BYTES = 'it has NUL bytes; the file is damaged, or is not a text file.'

export interface Line {
  /** From 1. */
  number: number
  /** Without its end, a byte order mark at its start, and the end-of-file characters of DOS; undefined when the line is too long. */
  bytes: Buffer | undefined
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
/** Ctrl-Z, the last character of a text file of DOS. */
const END_OF_FILE = 26
/** Files that were joined have one at the start of a later line. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/**
 * Splits a file into lines as its chunks arrive. A line ends with a line feed, a carriage return, or both. Skips empty lines, which still have
 * a number.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncIterable<Line[]> {
  let number = 0
  let unfinished = new UnfinishedLine()
  /** The last chunk ended with a carriage return. A line feed after it belongs to the same line end. */
  let isAfterReturn = false
  const end = (rest: Buffer): Line[] => {
    unfinished.add(rest)
    const bytes = unfinished.end()
    unfinished = new UnfinishedLine()
    number += 1
    return bytes?.length === 0 ? [] : [{ number, bytes }]
  }
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue
    const lines: Line[] = []
    const nextFeed = positionsOf(LINE_FEED, chunk)
    const nextReturn = positionsOf(CARRIAGE_RETURN, chunk)
    let start = isAfterReturn && chunk[0] === LINE_FEED ? 1 : 0
    for (;;) {
      const stop = Math.min(nextFeed(start), nextReturn(start))
      if (stop === chunk.length) break
      // A file may have millions of empty lines.
      if (stop === start && unfinished.length === 0) number += 1
      else lines.push(...end(chunk.subarray(start, stop)))
      start = stop + (chunk[stop] === CARRIAGE_RETURN && chunk[stop + 1] === LINE_FEED ? 2 : 1)
    }
    isAfterReturn = chunk.at(-1) === CARRIAGE_RETURN
    unfinished.add(chunk.subarray(start))
    if (lines.length > 0) yield lines
  }
  if (unfinished.length > 0) yield end(Buffer.alloc(0))
}

/**
 * Where a byte occurs in a chunk. Passes over the chunk once, however often it is asked.
 * @returns finds the first position from `start` on, which must not decrease; the length of the chunk if there is none
 */
function positionsOf(byte: number, chunk: Buffer): (start: number) => number {
  let next = -1
  return start => {
    if (next < start) next = chunk.indexOf(byte, start)
    if (next === -1) next = chunk.length
    return next
  }
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

  end(): Buffer | undefined {
    if (this.length > MAX_LINE_BYTES) return undefined
    const [only = Buffer.alloc(0)] = this.#parts
    let bytes = this.#parts.length > 1 ? Buffer.concat(this.#parts) : only
    while (bytes.at(-1) === END_OF_FILE) bytes = bytes.subarray(0, -1)
    if (bytes[0] === BYTE_ORDER_MARK[0] && bytes.indexOf(BYTE_ORDER_MARK) === 0) {
      bytes = bytes.subarray(BYTE_ORDER_MARK.length)
    }
    return bytes
  }
}
