import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { findLasting } from './pause.ts'
import { isBusy, toUserError } from './sqlite-errors.ts'

/** Longer than a commit of a busy service takes. */
const HELD_AFTER_MS = 1_000

/**
 * Whether another process holds the write lock of a store for longer than a commit. Writes nothing to the store.
 * @throws UserError when this cannot be determined
 */
export function isHeldForWriting(file: string): boolean {
  // Every writer creates a log first.
  if (!existsSync(`${file}-wal`)) return false
  try {
    // An open reader ensures that the connection in isHeld is not the last one, which would write the log to the file when it closes.
    using reader = new DatabaseSync(file, { readOnly: true, timeout: HELD_AFTER_MS })
    reader.prepare('SELECT count(*) FROM sqlite_schema').get()
    return isHeld(file)
  } catch (error) {
    throw toUserError(file, error)
  }
}

function isHeld(file: string): boolean {
  using database = new DatabaseSync(file, { timeout: 0 })
  return findLasting(HELD_AFTER_MS, () => !isFree(database))
}

function isFree(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}
