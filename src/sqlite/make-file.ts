import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Mistake } from '../domain/errors.ts'

const SET_FOLDER = 'set PETSTORE_DATA'

/** @throws Mistake when the folder cannot be made or written */
export function makeFolder(folder: string): void {
  try {
    makePath(resolve(folder))
    if (!statSync(folder).isDirectory()) throw new Mistake('invalid', `${folder} is not a folder; ${SET_FOLDER}.`)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw cannotBeWritten(`folder ${folder}`, error)
  }
}

/** Not `recursive: true`, which never returns where a parent exists that nothing can be made in, such as /proc. */
function makePath(folder: string): void {
  if (existsSync(folder)) return
  makePath(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it in between.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Makes an empty file that only this user may read, unless there is one; SQLite gives what it puts beside it the same mode. Never
 * opens one that exists: closing it again would take the locks that this process has on it (sqlite.org/howtocorrupt.html, 2.2).
 */
export function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotBeWritten(`file ${file}`, error)
  }
}

function cannotBeWritten(what: string, error: unknown): Mistake {
  if (error instanceof Mistake) return error
  const { code } = error as NodeJS.ErrnoException
  return new Mistake('invalid', `The ${what} cannot be written (${code}); ${SET_FOLDER}.`)
}
