import { conflict, StoreBusy, StoreDamaged, StoreFull, StoreUnavailable, UserError } from '../domain/errors.ts'
import { explainOwnership } from '../files/explain-ownership.ts'
import { notAStore } from './store-version.ts'

/** SQLite's primary result codes (sqlite.org/rescode.html). */
const BUSY = 5
const READ_ONLY = 8
const DISK_FAILURE = 10
/** The shared memory of the write-ahead log, which is a file, cannot be made larger. */
const SHARED_MEMORY_SIZE = 4_874
const CORRUPT = 11
const FULL = 13
const NOT_A_DATABASE = 26

/** The primary result code of an error of SQLite; undefined for any other error. */
function sqliteCode(error: unknown): number | undefined {
  const code = extendedCode(error)
  return code === undefined ? undefined : code & 0xff
}

function extendedCode(error: unknown): number | undefined {
  const { errcode } = error instanceof Error ? (error as { errcode?: unknown }) : {}
  return typeof errcode === 'number' ? errcode : undefined
}

export function isFull(error: unknown): boolean {
  const code = extendedCode(error)
  return sqliteCode(error) === FULL || code === SHARED_MEMORY_SIZE
}

/** @throws StoreFull instead of SQLite's own error */
export function orStoreFull<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw isFull(error) ? new StoreFull(error) : error
  }
}

export function writeFailure(cause: unknown): StoreUnavailable {
  if (isFull(cause)) return new StoreFull(cause)
  if (isBusy(cause)) return new StoreBusy(cause)
  return new StoreUnavailable('The store cannot be written right now.', { cause })
}

export function readFailure(cause: unknown): StoreUnavailable {
  // Either SQLite or this program has found damaged data.
  if (isUnreadable(cause) || cause instanceof StoreDamaged) return new StoreDamaged('The store is damaged.', { cause })
  return new StoreUnavailable('The store cannot be read right now.', { cause })
}

/** @throws the `readFailure` of a read that fails */
export function orReadFailure<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw readFailure(error)
  }
}

/** Whether a disk has failed. SQLite does not report which one. */
export function isDiskFailure(error: unknown): boolean {
  return sqliteCode(error) === DISK_FAILURE
}

/** Whether a file is not a database, or a damaged one. */
export function isUnreadable(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === CORRUPT || code === NOT_A_DATABASE
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === BUSY
}

/** Explains why the file of a store cannot be used. Returns errors that are not from SQLite unchanged. */
export function toUserError(file: string, error: unknown): unknown {
  if (isFull(error)) return diskFull(file)
  switch (sqliteCode(error)) {
    case undefined:
      return error
    case NOT_A_DATABASE:
      return notAStore(file)
    case CORRUPT:
      return damaged(file, (error as Error).message)
    case BUSY:
      return conflict(`Another process has locked the store ${file}; try again when it has ended.`)
    default:
      return cannotBeOpened(file, error as Error)
  }
}

export function diskFull(file: string): UserError {
  return conflict(`The disk of ${file} is full.`)
}

/** With the log and its index, whichever belongs to another user. */
function cannotBeOpened(file: string, error: Error): UserError {
  const reason = sqliteCode(error) === READ_ONLY ? 'it or its folder cannot be written' : error.message
  const ownership = ['', '-wal', '-shm']
    .map(suffix => explainOwnership(file + suffix))
    .find(found => found !== undefined)
  return conflict(ownership ?? `The store ${file} cannot be opened or read: ${reason}.`)
}

export class DamagedStore extends UserError {}

export function damaged(file: string, finding: string): DamagedStore {
  return new DamagedStore('conflict', `The store ${file} is damaged (${finding}).`)
}
