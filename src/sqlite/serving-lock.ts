import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Mistake } from '../domain/errors.ts'
import { makeFile } from './connection.ts'
import { isBusy } from './mistakes.ts'

/** Longer than anyone looks whether the lock is taken. */
const LOOK_MS = 250

/** Kept, whatever becomes of what gives them back: a connection that nobody refers to is closed in some quiet moment. */
const held = new Set<DatabaseSync>()

/**
 * Makes sure that one service at a time counts calls for a folder: two of them would each admit the full limits. The operating
 * system holds the lock, so it ends with the process, however that ends.
 * @returns what gives the lock back
 * @throws Mistake when another service has it, or it cannot be taken at all
 */
export function lockForServing(folder: string): () => void {
  const file = lockFile(folder)
  makeFile(file)
  const lock = openLock(file)
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw cannotBeTaken(file, error)
    throw new Mistake(
      'conflict',
      `Another service is running on the folder ${folder}; stop it, or set PETSTORE_DATA to another folder.`,
    )
  }
  held.add(lock)
  return () => {
    held.delete(lock)
    lock.close()
  }
}

/**
 * Whether a service has the lock just now. Changes nothing.
 * @throws Mistake when that cannot be told
 */
export function isServing(folder: string): boolean {
  const file = lockFile(folder)
  if (!existsSync(file)) return false
  const lock = openLock(file, { readOnly: true })
  try {
    lock.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw cannotBeTaken(file, error)
  } finally {
    lock.close()
  }
}

function lockFile(folder: string): string {
  return join(folder, 'serving.lock')
}

function openLock(file: string, { readOnly = false } = {}): DatabaseSync {
  try {
    return new DatabaseSync(file, { readOnly, timeout: readOnly ? 0 : LOOK_MS })
  } catch (error) {
    throw cannotBeTaken(file, error)
  }
}

function cannotBeTaken(file: string, error: unknown): Mistake {
  return new Mistake(
    'conflict',
    `The lock ${file} cannot be taken (${(error as Error).message}); it must be a file that this user may write, or not be there; if it is something else, delete it.`,
  )
}
