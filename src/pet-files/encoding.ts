import { isAscii } from 'node:buffer'
import { UserError } from '../domain/errors.ts'
import type { CsvEncoding } from '../domain/pet-files.ts'

/** The size of the sample that shows the encoding of a file. It starts at the first byte that is not ASCII. */
const SAMPLE_BYTES = 65_536

const MARKS: readonly [encoding: CsvEncoding, mark: Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
]

const MAX_MARK_BYTES = 3

/**
 * Converts a file to UTF-8 as its parts arrive. The result does not depend on how the file is split: as long as it is ASCII, the encoding
 * stays undecided; then a sample of fixed length decides.
 * @param chosen undefined to recognise the encoding; a byte order mark takes precedence
 * @param onRecognised called with the encoding, at the end at the latest
 * @throws UserError when the file is not valid in its encoding; bytes that are not valid UTF-8 are left to the reader of the lines
 */
export async function* decode(
  chunks: AsyncIterable<Buffer>,
  chosen?: CsvEncoding,
  onRecognised: (encoding: CsvEncoding) => void = () => {},
): AsyncIterable<Buffer> {
  let waiting: Buffer = Buffer.alloc(0)
  let isAtStart = true
  let toText: ((bytes?: Buffer) => Buffer) | undefined
  const begin = (encoding: CsvEncoding) => {
    onRecognised(encoding)
    toText = decoder(encoding)
    return toText(waiting)
  }
  for await (const chunk of chunks) {
    if (toText) {
      yield toText(chunk)
      continue
    }
    waiting = Buffer.concat([waiting, chunk])
    if (isAtStart) {
      if (waiting.length < MAX_MARK_BYTES) continue
      isAtStart = false
      const known = markedEncoding(waiting) ?? chosen
      if (known) {
        yield begin(known)
        continue
      }
    }
    const ascii = asciiLength(waiting)
    if (ascii > 0) yield waiting.subarray(0, ascii)
    waiting = waiting.subarray(ascii)
    if (waiting.length >= SAMPLE_BYTES) yield begin(recognise(waiting.subarray(0, SAMPLE_BYTES), false))
  }
  if (!toText) yield begin((isAtStart ? (markedEncoding(waiting) ?? chosen) : undefined) ?? recognise(waiting, true))
  if (toText) yield toText()
}

function asciiLength(bytes: Buffer): number {
  if (isAscii(bytes)) return bytes.length
  return bytes.findIndex(byte => byte > MAX_ASCII)
}

const MAX_ASCII = 0x7f

function markedEncoding(bytes: Buffer): CsvEncoding | undefined {
  return MARKS.find(([, mark]) => bytes.subarray(0, mark.length).equals(mark))?.[0]
}

/** A file that has bytes beyond ASCII, but not a single valid UTF-8 character among them, is in a single-byte encoding. */
function recognise(sample: Buffer, isWhole: boolean): CsvEncoding {
  if (isValidUtf8(sample, isWhole)) return 'utf-8'
  const hasCharacter = /[\u0080-\ufffc\u{10000}-\u{10ffff}]/u.test(sample.toString('utf8'))
  return hasCharacter ? 'utf-8' : 'windows-1252'
}

/** @param isWhole if false, the last character may be incomplete */
function isValidUtf8(bytes: Buffer, isWhole: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole })
    return true
  } catch {
    return false
  }
}

/** Returns a function that decodes the next part or, without an argument, the rest at the end. */
function decoder(encoding: CsvEncoding): (bytes?: Buffer) => Buffer {
  if (encoding === 'utf-8') return bytes => bytes ?? Buffer.alloc(0)
  const text = new TextDecoder(encoding, { fatal: true })
  return bytes => {
    try {
      return Buffer.from(bytes ? text.decode(bytes, { stream: true }) : text.decode())
    } catch {
      throw new UserError('conflict', `The file is not valid ${encoding}; choose another encoding.`)
    }
  }
}
