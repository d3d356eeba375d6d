import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isBusy, mistakeOf } from './mistakes.ts'

/** Longer than a service at work needs for a commit. */
const HELD_AFTER_MS = 1_000
/** SQLite itself would ask ever more rarely, and never find the moment between the commits of a busy service. */
const ASK_EVERY_MS = 2

/**
 * Whether somebody holds the lock without which nothing is written into a store, and goes on holding it. Writes nothing into the store.
 * @throws Mistake when that cannot be told
 */
export function isHeldForWriting(file: string): boolean {
  // Whoever wants to write makes a log first.
  if (!existsSync(`${file}-wal`)) return false
  try {
    // While this one is open, the other is not the last, which would write the log into the file.
    const reader = new DatabaseSync(file, { readOnly: true, timeout: HELD_AFTER_MS })
    try {
      reader.prepare('SELECT count(*) FROM sqlite_schema').get()
      return isHeld(file)
    } finally {
      reader.close()
    }
  } catch (error) {
    throw mistakeOf(file, error)
  }
}

function isHeld(file: string): boolean {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    for (const giveUpAt = performance.now() + HELD_AFTER_MS; ; ) {
      if (isFree(database)) return false
      if (performance.now() > giveUpAt) return true
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ASK_EVERY_MS)
    }
  } finally {
    database.close()
  }
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
