import { accessSync, constants, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { conflict, type UserError } from '../domain/errors.ts'
import { explainOwnership } from '../files/explain-ownership.ts'
import { findFile } from '../files/find-file.ts'
import { createFile, createFolder } from './data-folder/create.ts'
import { identityOf, isFileAt } from './data-folder/file-identity.ts'
import { diskFull, isBusy, isFull } from './sqlite-errors.ts'

/** Longer than another process needs to check the lock. */
const TIMEOUT_MS = 250

/** By file. Kept here because the garbage collector closes unreferenced connections. */
const held = new Map<string, DatabaseSync>()

/**
 * Makes sure that only one service at a time counts calls for a folder: two services would each admit the full limits. The operating
 * system holds the lock, so it always ends with the process.
 * @param remedy the end of the message if another service has the lock
 * @returns a function that releases the lock
 * @throws UserError when another service has the lock, or it cannot be acquired
 */
export function lockForServing(folder: string, remedy = 'stop it, or set PETSTORE_DATA to another folder'): () => void {
  createFolder(folder)
  const file = lockFile(folder)
  createFile(file)
  const identity = identityOf(file)
  const lock = openLock(file)
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw cannotBeTaken(file, error)
    throw conflict(`A service or petstore migrate-store is running on the folder ${folder}; ${remedy}.`)
  }
  // The process that held the lock may have removed the file meanwhile: a lock on that file keeps no other service out.
  if (!isFileAt(file, identity)) {
    lock.close()
    return lockForServing(folder, remedy)
  }
  held.set(file, lock)
  return () => {
    held.delete(file)
    lock.close()
  }
}

/** Removes the file of a lock that this process holds, before it releases it: no other process can have acquired the lock. */
export function removeHeldLock(folder: string): void {
  // Windows does not remove open files.
  if (process.platform !== 'win32') rmSync(lockFile(folder), { force: true })
}

/**
 * Whether a service currently has the lock. Changes nothing.
 * @throws UserError when the lock cannot be read
 */
export function isServing(folder: string): boolean {
  const file = lockFile(folder)
  if (!findFile(file)) return false
  using lock = openLock(file, { readOnly: true })
  try {
    lock.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw cannotBeTaken(file, error)
  }
}

/** Whether a service in another process currently has the lock. */
export function isServedByAnother(folder: string): boolean {
  return !held.has(lockFile(folder)) && isServing(folder)
}

export function lockFile(folder: string): string {
  return resolve(folder, 'serving.lock')
}

function openLock(file: string, { readOnly = false } = {}): DatabaseSync {
  try {
    // Otherwise, SQLite opens the file for reading, and many processes would have the lock.
    if (!readOnly) accessSync(file, constants.W_OK)
    return new DatabaseSync(file, { readOnly, timeout: readOnly ? 0 : TIMEOUT_MS })
  } catch (error) {
    throw cannotBeTaken(file, error)
  }
}

function cannotBeTaken(file: string, error: unknown): UserError {
  const ownership = explainOwnership(file)
  if (ownership !== undefined) return conflict(ownership)
  if (isFull(error)) return diskFull(file)
  return conflict(
    `The lock ${file} cannot be acquired (${(error as Error).message}); it must be a file that this user can write. If it is anything else, delete it.`,
  )
}
