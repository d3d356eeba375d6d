import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Mistake } from '../domain/errors.ts'
import { formatTime } from '../domain/time.ts'
import { syncFile, syncFolder } from '../files/sync-to-disk.ts'

/** Says that what a folder holds has been moved to PostgreSQL. Whoever wants to go back deletes it. */
function markOf(folder: string): string {
  return join(folder, 'petstore.db.moved')
}

/** Marks a folder, so that no service starts on it by mistake: it would give the same ids to other animals. */
export function markMoved(folder: string, now: number): void {
  writeFileSync(markOf(folder), `This store was moved to PostgreSQL at ${formatTime(now)}.\n`, { mode: 0o600 })
  syncFile(markOf(folder))
  syncFolder(folder)
}

/** @throws Mistake when the folder's store has been moved */
export function ensureNotMoved(folder: string): void {
  const mark = markOf(folder)
  if (!existsSync(mark)) return
  throw new Mistake(
    'conflict',
    `The store in ${folder} must not be used: ${readMark(mark)} Set PETSTORE_DATABASE_URL. To go back to this store and give up what happened since, delete ${mark}.`,
  )
}

function readMark(mark: string): string {
  try {
    return readFileSync(mark, 'utf8').trim()
  } catch {
    return 'This store was moved to PostgreSQL.'
  }
}
