import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { conflict, UserError } from '../../domain/errors.ts'
import { systemReason } from '../../domain/system-error.ts'
import { giveFolderToOwner, giveToOwner } from '../../files/give-to-owner.ts'

/**
 * Creates a data folder if it does not exist, readable only by its owner. If root creates it, it belongs to the owner of its parent.
 * @throws UserError when it cannot be created or written
 */
export function createFolder(folder: string): void {
  try {
    createPath(resolve(folder))
    if (!statSync(folder).isDirectory()) throw conflict(`${folder} is not a folder; set PETSTORE_DATA.`)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw cannotBeWritten(`folder ${folder}`, error)
  }
}

/** Not `recursive: true`, which never returns if a parent exists but nothing can be created in it, such as /proc. */
function createPath(folder: string): void {
  if (existsSync(folder)) return
  createPath(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
    giveFolderToOwner(folder)
  } catch (error) {
    // Another process may have created it in between.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Creates an empty file if it does not exist, readable only by its owner, who is that of the folder if root creates it. SQLite gives its companion
 * files the same mode. Never opens an existing file: closing it would release the locks that this process has on it
 * (sqlite.org/howtocorrupt.html, 2.2).
 */
export function createFile(file: string): void {
  try {
    const opened = openSync(file, 'wx', 0o600)
    try {
      giveToOwner(opened, file)
    } finally {
      closeSync(opened)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotBeWritten(`file ${file}`, error)
  }
}

function cannotBeWritten(what: string, error: unknown): UserError {
  if (error instanceof UserError) return error
  return conflict(`The ${what} cannot be written (${systemReason(error)}); set PETSTORE_DATA.`)
}
