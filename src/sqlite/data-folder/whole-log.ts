import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { endianness } from 'node:os'
import { isMainThread } from 'node:worker_threads'
import { conflict } from '../../domain/errors.ts'
import { systemReason } from '../../domain/system-error.ts'
import { explainOwnership } from '../../files/explain-ownership.ts'
import { findLasting } from '../pause.ts'
import { isServedByAnother } from '../serving-lock.ts'
import { databaseFile, indexFile, logFile } from './store-files.ts'

/** Longer than another process needs to open or close the store. */
const SETTLED_AFTER_MS = 500

/** Stores that this process may have opened. */
const examined = new Set<string>()

/**
 * SQLite cannot distinguish a log that is missing or truncated from one to which less was written. After a `kill -9`, the index next to the
 * log still records its length.
 *
 * Closing a file releases all locks that the process has on it, including SQLite's (fcntl(2)), and without them another process would reset
 * the index. So the index is read only before this process opens the store for the first time, which no thread does.
 * @throws UserError when part of the log left by a process is gone, and with it the last changes
 */
export function ensureWholeLog(folder: string): void {
  const file = databaseFile(folder)
  if (!isMainThread || examined.has(file)) return
  const missing = findLasting(SETTLED_AFTER_MS, () => {
    const part = findMissingPart(file)
    // A running service has the files open and is writing to them.
    return part && !isServedByAnother(folder) ? part : undefined
  })
  if (missing) {
    throw conflict(
      `The file ${logFile(file)} ${missing}, so the last changes are lost. Put the right file back, or restore a backup. To use the store without these changes, delete ${indexFile(file)}.`,
    )
  }
  examined.add(file)
}

function findMissingPart(file: string): string | undefined {
  const index = readIndex(indexFile(file))
  // Frames that have been copied to the database are no longer needed.
  if (!index || index.copiedFrames >= index.frames) return undefined
  const log = readLog(logFile(file))
  if (!log) return 'is missing'
  // After a crash of the machine, the index may be older than the log.
  if (log.head.length === LOG_HEADER_BYTES && !log.head.subarray(16, 24).equals(index.salt)) return undefined
  return log.bytes < logBytes(index) ? 'has been cut short' : undefined
}

/** See sqlite.org/walformat.html. */
const INDEX_HEADER_BYTES = 48
/** Two copies of the header, and the number of copied frames. */
const INDEX_BYTES = 2 * INDEX_HEADER_BYTES + 4

interface LogIndex {
  /** How many frames of the log are committed. */
  frames: number
  /** How many of them SQLite has copied to the database. */
  copiedFrames: number
  pageSize: number
  /** The salts in the header of the log. */
  salt: Buffer
}

/** Undefined if there is none, or it is being written: then the two copies of its header differ. */
function readIndex(file: string): LogIndex | undefined {
  const index = readFile(file)
  const header = index.subarray(0, INDEX_HEADER_BYTES)
  const copy = index.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES)
  if (index.length < INDEX_BYTES || !header.equals(copy)) return undefined
  const words = new DataView(index.buffer, index.byteOffset)
  const isLittle = endianness() === 'LE'
  return {
    frames: words.getUint32(16, isLittle),
    copiedFrames: words.getUint32(2 * INDEX_HEADER_BYTES, isLittle),
    pageSize: words.getUint16(14, isLittle),
    salt: header.subarray(32, 40),
  }
}

/** Empty if the file does not exist, or this user may not read it; in that case, the store cannot be opened either. */
function readFile(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}

/**
 * The header of the log, or less if the log is shorter. Undefined if there is no log, for example after another process closed the store.
 * @throws UserError when this user may not read it
 */
function readLog(log: string): { head: Buffer; bytes: number } | undefined {
  let opened: number
  try {
    opened = openSync(log, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw conflict(explainOwnership(log) ?? `The file ${log} cannot be read (${systemReason(error)}).`)
  }
  try {
    const head = Buffer.alloc(LOG_HEADER_BYTES)
    return { head: head.subarray(0, readSync(opened, head, 0, LOG_HEADER_BYTES, 0)), bytes: fstatSync(opened).size }
  } finally {
    closeSync(opened)
  }
}

/** Sizes in SQLite's file formats (sqlite.org/fileformat2.html, 1.3.2 and 4.1). */

const LOG_HEADER_BYTES = 32
/** In the log, each frame header is followed by a page. */
const FRAME_HEADER_BYTES = 24

/** The size of a log with this many frames, in bytes. */
function logBytes({ frames, pageSize }: { frames: number; pageSize: number }): number {
  return LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageSize)
}
