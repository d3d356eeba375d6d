import { isAscii, isUtf8 } from 'node:buffer'
import type { EncodingGuess } from '../domain/pet-files.ts'
import { joinHead, markedEncoding, utf16Of } from './encoding.ts'
import { type Line, readLines } from './lines.ts'

/**
 * Recognises the encoding of a CSV file. Only a byte order mark, valid UTF-8 and UTF-16 are certain. A file with some bad bytes is in UTF-8
 * if at least half of its lines with letters beyond ASCII are valid UTF-8.
 * @param open reads the file from its start; it is read once or twice, in constant memory
 * @returns the encoding or, if the bytes do not show it, the likely ones, best first
 */
export async function recogniseEncoding(open: () => AsyncIterable<Buffer>): Promise<string | EncodingGuess[]> {
  const certain = await findCertain(open())
  if (certain !== undefined) return certain
  const { valid, invalid, sample } = await judgeLines(readLines(open()))
  if (valid >= invalid) return 'utf-8'
  // Loaded late: few files need its large patterns.
  const { guessEncodings } = await import('./guess-encodings.ts')
  return guessEncodings(sample)
}

async function findCertain(chunks: AsyncIterable<Buffer>): Promise<string | undefined> {
  const text = new TextDecoder('utf-8', { fatal: true })
  let isHead = true
  try {
    for await (const chunk of joinHead(chunks)) {
      const shown = isHead ? (markedEncoding(chunk) ?? utf16Of(chunk)) : undefined
      if (shown !== undefined) return shown
      isHead = false
      text.decode(chunk, { stream: true })
    }
    text.decode()
    return 'utf-8'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return undefined
    throw error
  }
}

const MAX_SAMPLE_BYTES = 16_384
const MAX_SAMPLE_LINE_BYTES = 4_096

/** @returns how many lines beyond ASCII are valid UTF-8, how many are not, and a sample of the latter */
async function judgeLines(batches: AsyncIterable<Line[]>) {
  const sample = new Sample()
  let [valid, invalid] = [0, 0]
  for await (const lines of batches) {
    for (const { bytes } of lines) {
      if (!bytes || isAscii(bytes)) continue
      if (isUtf8(bytes)) valid += 1
      else {
        invalid += 1
        sample.add(bytes)
      }
    }
  }
  return { valid, invalid, sample: sample.lines }
}

/** The first lines, and each later one with a byte that no line before it has: together they have every letter of a single-byte encoding. */
class Sample {
  readonly lines: Buffer[] = []
  #length = 0
  readonly #isSeen = new Uint8Array(256)

  add(line: Buffer): void {
    if (line.length > MAX_SAMPLE_LINE_BYTES) return
    if (this.#length > MAX_SAMPLE_BYTES && line.every(byte => this.#isSeen[byte])) return
    for (const byte of line) this.#isSeen[byte] = 1
    this.#length += line.length
    // A copy, because the line is part of a larger chunk.
    this.lines.push(Buffer.from(line))
  }
}
