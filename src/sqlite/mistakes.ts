import { Mistake, StoreDamaged } from '../domain/errors.ts'
import { notAStore } from './format.ts'

/** SQLite's primary result codes (sqlite.org/rescode.html). */
const BUSY = 5
const DISK_FAILURE = 10
const CORRUPT = 11
const FULL = 13
const NOT_A_DATABASE = 26

/** Which of SQLite's primary result codes an error bears, if it is one of SQLite's. */
function sqliteCode(error: unknown): number | undefined {
  const errcode = error instanceof Error ? (error as { errcode?: unknown }).errcode : undefined
  return typeof errcode === 'number' ? errcode & 0xff : undefined
}

export function isFull(error: unknown): boolean {
  return sqliteCode(error) === FULL
}

/** Whether a disk has failed; which one of several, SQLite does not tell. */
export function isDiskFailure(error: unknown): boolean {
  return sqliteCode(error) === DISK_FAILURE
}

/** Whether an error says that a file is no database, or a broken one. */
export function isUnreadable(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === CORRUPT || code === NOT_A_DATABASE
}

/** Whether what is stored makes no sense, to SQLite or to this program. */
export function isDamage(error: unknown): boolean {
  return error instanceof StoreDamaged || isUnreadable(error)
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === BUSY
}

/** What a person reads when a store's file cannot be used; an error that is none of SQLite's is left as it is. */
export function mistakeOf(file: string, error: unknown): unknown {
  switch (sqliteCode(error)) {
    case undefined:
      return error
    case NOT_A_DATABASE:
      return notAStore(file)
    case CORRUPT:
      return damaged(file, (error as Error).message)
    case FULL:
      return new Mistake('conflict', `There is no room left on the disk of ${file}.`)
    case BUSY:
      return new Mistake('conflict', `The store ${file} is held by another process; try again when that has ended.`)
    default:
      return new Mistake('conflict', `The store ${file} cannot be opened or read: ${(error as Error).message}.`)
  }
}

/** What a store's file holds makes no sense. */
export class DamagedStore extends Mistake {}

export function damaged(file: string, finding: string): DamagedStore {
  return new DamagedStore('conflict', `The store ${file} is damaged (${finding}).`)
}
