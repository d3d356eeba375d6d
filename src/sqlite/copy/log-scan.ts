import { readSync } from 'node:fs'
import { FRAME_HEADER_BYTES, LOG_HEADER_BYTES, logBytes } from '../file-format.ts'

/** Reads SQLite's write-ahead log (sqlite.org/fileformat2.html, section 4) while another thread is writing to it. */

/** The checksums of the log use the byte order of the machine that writes it. This magic number means little-endian. */
const LITTLE_ENDIAN_MAGIC = 0x377f0682
const FRAMES_AT_ONCE = 256

type Checksum = readonly [number, number]

/** How far a log has been read. */
export interface LogPosition {
  /** Both salts change each time SQLite restarts the log. */
  salt1: number
  salt2: number
  pageSize: number
  /** The number of frames up to the last commit. */
  frames: number
  /** The checksum of the last of these frames, or of the header. Each checksum includes the previous ones. */
  checksum: Checksum
}

/** What was committed after a position. */
export interface LogPart {
  /** Undefined if the log is still empty. */
  position: LogPosition | undefined
  /** The offset in the log of the newest version of each page. */
  pages: Map<number, number>
  /** The number of pages in the database after the last commit; undefined if nothing was committed. */
  pageCount: number | undefined
}

/** The log does not continue where it was last read, so the missing part cannot be determined. */
export class LogChanged extends Error {}

/**
 * Reads what was committed after a position. A transaction that is still being written is left for the next call.
 * @param log the open file
 * @returns the part after the position, or the whole log if it has restarted since then
 * @throws LogChanged if this is not the log that was read before
 */
export function readLog(log: number, from?: LogPosition): LogPart {
  const start = findStart(log, from)
  return start ? scan(log, start) : { position: from, pages: new Map(), pageCount: undefined }
}

/** Undefined if there is nothing to read yet. */
function findStart(log: number, from: LogPosition | undefined): LogPosition | undefined {
  const header = readHeader(log)
  // Until the first commit, the header may be rewritten, which changes the initial checksum.
  if (!from || !header || from.frames === 0 || !isSameLog(header, from)) return header
  if (endsAt(log, from)) return from
  // The log may have restarted since its header was read.
  const now = readHeader(log)
  if (now && isSameLog(now, from))
    throw new LogChanged('The log was overwritten at a position that had already been read.')
  return now
}

/** Whether two positions are in the same log: it has not restarted in between. */
export function isSameLog(one: LogPosition, other: LogPosition): boolean {
  return one.salt1 === other.salt1 && one.salt2 === other.salt2
}

/** The start of the log; undefined while the log is empty or its header is being written. */
function readHeader(log: number): LogPosition | undefined {
  const header = Buffer.alloc(LOG_HEADER_BYTES)
  if (readSync(log, header, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES) return undefined
  if (header.readUInt32BE(0) !== LITTLE_ENDIAN_MAGIC)
    throw new LogChanged('The log was written by a machine with a different byte order.')
  const checksum = addToChecksum([0, 0], wordsOf(header, 0, 24))
  if (!isEqual(checksum, [header.readUInt32BE(24), header.readUInt32BE(28)])) return undefined
  return {
    salt1: header.readUInt32BE(16),
    salt2: header.readUInt32BE(20),
    pageSize: header.readUInt32BE(8),
    frames: 0,
    checksum,
  }
}

/** Whether the last frame that was read is still in the log. */
function endsAt(log: number, { frames, pageSize, salt1, salt2, checksum }: LogPosition): boolean {
  if (frames === 0) return true
  const frame = Buffer.alloc(FRAME_HEADER_BYTES)
  readSync(log, frame, 0, FRAME_HEADER_BYTES, logBytes({ frames: frames - 1, pageSize }))
  const sum: Checksum = [frame.readUInt32BE(16), frame.readUInt32BE(20)]
  return frame.readUInt32BE(8) === salt1 && frame.readUInt32BE(12) === salt2 && isEqual(sum, checksum)
}

function scan(log: number, start: LogPosition): LogPart {
  const { pageSize, salt1, salt2 } = start
  const frameBytes = FRAME_HEADER_BYTES + pageSize
  const frames = Buffer.allocUnsafeSlow(FRAMES_AT_ONCE * frameBytes)
  const pages = new Map<number, number>()
  const uncommitted: [page: number, offset: number][] = []
  let position = start
  let pageCount: number | undefined
  let { checksum, frames: read } = start
  for (;;) {
    const offset = logBytes({ frames: read, pageSize })
    const complete = Math.floor(readSync(log, frames, 0, frames.length, offset) / frameBytes)
    for (let index = 0; index < complete; index += 1) {
      const at = index * frameBytes
      const isOfThisLog = frames.readUInt32BE(at + 8) === salt1 && frames.readUInt32BE(at + 12) === salt2
      checksum = addToChecksum(checksum, wordsOf(frames, at, 8))
      checksum = addToChecksum(checksum, wordsOf(frames, at + FRAME_HEADER_BYTES, pageSize))
      // The first invalid frame is being written, or is left over from before the log restarted.
      if (!isOfThisLog || !isEqual(checksum, [frames.readUInt32BE(at + 16), frames.readUInt32BE(at + 20)])) {
        return { position, pages, pageCount }
      }
      read += 1
      uncommitted.push([frames.readUInt32BE(at), offset + at + FRAME_HEADER_BYTES])
      const pagesAfterCommit = frames.readUInt32BE(at + 4)
      if (pagesAfterCommit === 0) continue
      for (const [page, image] of uncommitted.splice(0)) pages.set(page, image)
      pageCount = pagesAfterCommit
      position = { ...start, frames: read, checksum }
    }
    if (complete < FRAMES_AT_ONCE) return { position, pages, pageCount }
  }
}

/** The 32-bit words of a part that starts at a multiple of four bytes. */
function wordsOf(buffer: Buffer, offset: number, bytes: number): Uint32Array {
  return new Uint32Array(buffer.buffer, buffer.byteOffset + offset, bytes / 4)
}

function addToChecksum([first, second]: Checksum, words: Uint32Array): Checksum {
  let one = first
  let other = second
  for (let index = 0; index < words.length; index += 2) {
    one = (one + (words[index] as number) + other) | 0
    other = (other + (words[index + 1] as number) + one) | 0
  }
  return [one >>> 0, other >>> 0]
}

function isEqual(one: Checksum, other: Checksum): boolean {
  return one[0] === other[0] && one[1] === other[1]
}
