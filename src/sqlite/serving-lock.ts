import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Mistake } from '../domain/errors.ts'
import { findFile } from './find-file.ts'
import { makeFile, makeFolder } from './make-file.ts'
import { isBusy } from './mistakes.ts'

/** Longer than anyone looks whether the lock is taken. */
const LOOK_MS = 250

/**
 * By file. Kept, whatever becomes of what gives them back: a connection that nobody refers to is closed in some quiet moment.
 */
const held = new Map<string, DatabaseSync>()

/**
 * Makes sure that one service at a time counts calls for a folder: two of them would each admit the full limits. The operating
 * system holds the lock, so it ends with the process, however that ends.
 * @param taken what a person reads when another service has it
 * @returns what gives the lock back
 * @throws Mistake when another service has it, or it cannot be taken at all
 */
export function lockForServing(
  folder: string,
  taken = `Another service, or petstore migrate-store, is running on the folder ${folder}; stop it, or set PETSTORE_DATA to another folder.`,
): () => void {
  makeFolder(folder)
  const file = lockFile(folder)
  makeFile(file)
  const lock = openLock(file)
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw cannotBeTaken(file, error)
    throw new Mistake('conflict', taken)
  }
  held.set(file, lock)
  return () => {
    held.delete(file)
    lock.close()
  }
}

/**
 * Whether a service has the lock just now. Changes nothing.
 * @throws Mistake when that cannot be told
 */
export function isServing(folder: string): boolean {
  const file = lockFile(folder)
  if (!findFile(file)) return false
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

/** Whether a service in another process has the lock just now. */
export function isServedByAnother(folder: string): boolean {
  return !held.has(lockFile(folder)) && isServing(folder)
}

function lockFile(folder: string): string {
  return resolve(folder, 'serving.lock')
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
