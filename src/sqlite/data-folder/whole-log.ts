import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { endianness } from 'node:os'
import { isMainThread } from 'node:worker_threads'
import { UserError } from '../../domain/errors.ts'
import { LOG_HEADER_BYTES, logBytes, MAX_PAGE_BYTES } from '../file-format.ts'
import { pause } from '../pause.ts'
import { isServedByAnother } from '../serving-lock.ts'
import { databaseFile, indexFile, logFile } from './store-files.ts'

/** Longer than another process needs to open or close the store. */
const SETTLED_AFTER_MS = 500
const RETRY_AFTER_MS = 5

/** The stores that this process may have opened. */
const examined = new Set<string>()

/**
 * SQLite takes a log that is missing or ends early for one to which less was written. After a `kill -9`, its index beside it still says how
 * much was.
 *
 * Closing a file ends all locks that the process has on it, also those of SQLite (fcntl(2)), and without them another process would begin the
 * index again. So the index is read only before this process opens the store for the first time, which no thread does.
 * @throws UserError when a part of the log that a process has left is gone, and with it the last changes
 */
export function ensureWholeLog(folder: string): void {
  const file = databaseFile(folder)
  if (!isMainThread || examined.has(file)) return
  examine(folder, file)
  examined.add(file)
}

function examine(folder: string, file: string): void {
  const deadline = performance.now() + SETTLED_AFTER_MS
  for (;;) {
    const missing = findMissingPart(file)
    // A service that runs has its files open, and writes them meanwhile.
    if (!missing || isServedByAnother(folder)) return
    if (performance.now() >= deadline) {
      throw new UserError(
        'conflict',
        `The file ${logFile(file)} ${missing}, so the last changes are lost. Put the right file back, or restore a backup. To use the store without these changes, delete ${indexFile(file)}.`,
      )
    }
    pause(RETRY_AFTER_MS)
  }
}

function findMissingPart(file: string): string | undefined {
  const index = readIndex(indexFile(file))
  // What has been copied into the database is no longer needed.
  if (!index || index.copiedFrames >= index.frames) return undefined
  const log = readLog(logFile(file))
  if (!log) return 'is missing'
  // After a crash of the machine, the index may be older than the log.
  if (log.head.length === LOG_HEADER_BYTES && !log.head.subarray(16, 24).equals(index.salt)) return undefined
  return log.bytes < logBytes(index) ? 'has been cut short' : undefined
}

/** See sqlite.org/walformat.html. */
const INDEX_HEADER_BYTES = 48
/** The header twice, and the number of copied frames. */
const INDEX_BYTES = 2 * INDEX_HEADER_BYTES + 4

interface LogIndex {
  /** How many frames of the log are committed. */
  frames: number
  /** How many of them SQLite has copied into the database. */
  copiedFrames: number
  pageSize: number
  /** As in the header of the log. */
  salt: Buffer
}

/** Undefined if there is none, or it is being written: its header is there twice. */
function readIndex(file: string): LogIndex | undefined {
  const index = readFile(file)
  const header = index.subarray(0, INDEX_HEADER_BYTES)
  const copy = index.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES)
  if (index.length < INDEX_BYTES || !header.equals(copy)) return undefined
  const words = new DataView(index.buffer, index.byteOffset)
  const isLittle = endianness() === 'LE'
  const pageSize = words.getUint16(14, isLittle)
  return {
    frames: words.getUint32(16, isLittle),
    copiedFrames: words.getUint32(2 * INDEX_HEADER_BYTES, isLittle),
    pageSize: pageSize === 1 ? MAX_PAGE_BYTES : pageSize,
    salt: header.subarray(32, 40),
  }
}

/** Empty if there is none, or this user may not read it: then the store cannot be opened either. */
function readFile(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}

/** The header of the log, or less where the log is shorter; undefined if there is none, as when another process has just closed the store. */
function readLog(log: string): { head: Buffer; bytes: number } | undefined {
  let opened: number
  try {
    opened = openSync(log, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const head = Buffer.alloc(LOG_HEADER_BYTES)
    return { head: head.subarray(0, readSync(opened, head, 0, LOG_HEADER_BYTES, 0)), bytes: fstatSync(opened).size }
  } finally {
    closeSync(opened)
  }
}
