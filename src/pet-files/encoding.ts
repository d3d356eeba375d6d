import { conflict, type UserError } from '../domain/errors.ts'

/** Enough to recognise UTF-16 without a byte order mark, and files of other kinds, for which FOREIGN_FILE_BYTES are enough. */
const HEAD_BYTES = 4_096

const MARKS: readonly [encoding: string, mark: Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
]

/**
 * Converts a file to UTF-8 as its parts arrive. The result does not depend on how the file is split. A byte order mark takes precedence
 * over `chosen`; without either, the file is in UTF-16 if its first bytes are, otherwise in UTF-8.
 * @param isWhole if false, the last character may be incomplete, and is dropped
 * @throws UserError when the file is not valid in its encoding; bytes that are not valid UTF-8 are left to the reader of the lines
 */
export async function* decode(
  chunks: AsyncIterable<Buffer>,
  chosen?: string,
  isWhole = true,
): AsyncGenerator<Buffer, void> {
  let toUtf8: ((bytes?: Buffer) => Buffer) | undefined
  for await (const chunk of joinHead(chunks)) {
    toUtf8 ??= decoder(markedEncoding(chunk) ?? chosen ?? utf16Of(chunk) ?? 'utf-8')
    yield toUtf8(chunk)
  }
  if (toUtf8 && isWhole) yield toUtf8()
}

/** Joins the first chunks, so that the first one has `HEAD_BYTES` bytes, or the whole file. */
export async function* joinHead(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (!head) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < HEAD_BYTES) continue
    yield head
    head = undefined
  }
  if (head && head.length > 0) yield head
}

export function markedEncoding(head: Buffer): string | undefined {
  return MARKS.find(([, mark]) => head.subarray(0, mark.length).equals(mark))?.[0]
}

/** In a file of animals in UTF-16, at least one character in eight is ASCII: delimiters, digits, line ends. One of its two bytes is NUL. */
const MIN_ASCII_SHARE = 1 / 8

/** Recognises UTF-16 without a byte order mark. Text in any other encoding has no NUL. */
export function utf16Of(bytes: Buffer): string | undefined {
  let [little, big] = [0, 0]
  const length = Math.min(bytes.length, HEAD_BYTES)
  for (let at = 0; at + 1 < length; at += 2) {
    const [first, second] = [bytes[at] as number, bytes[at + 1] as number]
    if (second === 0 && isAsciiText(first)) little += 1
    else if (first === 0 && isAsciiText(second)) big += 1
  }
  const least = (length / 2) * MIN_ASCII_SHARE
  // A few other characters look like ASCII in the other byte order, such as U+4E00.
  if (little >= least && little > 2 * big) return 'utf-16le'
  return big >= least && big > 2 * little ? 'utf-16be' : undefined
}

function isAsciiText(byte: number): boolean {
  return byte >= 0x09 && byte < 0x7f
}

/** What Node makes of characters that it cannot decode: private use characters and, in euc-kr, control characters. */
const UNKNOWN: Readonly<Record<string, RegExp>> = { big5: /[\ue000-\uf8fe]/, 'euc-kr': /[\u0080-\u009f\ue000-\uf8fe]/ }

/** Returns a function that decodes the next part or, without an argument, the rest at the end. */
function decoder(encoding: string): (bytes?: Buffer) => Buffer {
  if (encoding === 'utf-8') return bytes => bytes ?? Buffer.alloc(0)
  const decoder = new TextDecoder(encoding, { fatal: true })
  return bytes => {
    const text = orNotValid(encoding, () => (bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()))
    if (UNKNOWN[encoding]?.test(text)) throw notValid(encoding)
    return Buffer.from(text)
  }
}

function orNotValid(encoding: string, decode: () => string): string {
  try {
    return decode()
  } catch {
    throw notValid(encoding)
  }
}

function notValid(encoding: string): UserError {
  return conflict(
    `The file is not valid in the encoding ${encoding}; choose another encoding, or save the file as CSV UTF-8.`,
  )
}
