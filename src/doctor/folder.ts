import { accessSync, constants, existsSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { shellWord } from '../domain/shell-quote.ts'
import { explainOwnership } from '../files/explain-ownership.ts'
import { findLeftovers } from '../sqlite/data-folder/leftovers.ts'
import { databaseFile } from '../sqlite/data-folder/store-files.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warn, fail } = findingsOf('folder')

/** The permissions of users who are neither the owner nor in the group. */
const OTHERS = 0o007

/** Checks whether the folder is usable, and closed to other users. */
export function checkFolder(folder: string): Finding[] {
  const found = look(folder)
  if (found === 'hidden') {
    return [fail(`This user cannot access the folder ${folder}; ${remedy(dirname(resolve(folder)))}.`)]
  }
  if (!found) {
    const parent = nearestFolder(folder)
    return isUsable(parent)
      ? [ok(`There is no folder ${folder} yet; it is created when needed.`)]
      : [fail(`The folder ${folder} cannot be created: ${parent} is not writable; set PETSTORE_DATA.`)]
  }
  if (!found.isDirectory()) return [fail(`${folder} is not a folder; set PETSTORE_DATA.`)]
  if (!isUsable(folder)) {
    return [fail(`This user cannot enter the folder ${folder} and write to it; ${remedy(folder)}.`)]
  }
  const locked = [...STORE_FILES.map(suffix => databaseFile(folder) + suffix), join(folder, 'serving.lock')].filter(
    file => !isWritableIfThere(file),
  )
  if (locked.length > 0) {
    return locked.map(file =>
      fail(explainOwnership(file) ?? `${file} cannot be read and written by this user; ${remedy(file)}.`),
    )
  }
  const open = [folder, databaseFile(folder)].filter(path => existsSync(path) && isOpenToOthers(path))
  if (open.length === 0) return [ok(`The folder ${folder} is writable, and closed to other users.`)]
  return open.map(path => warn(`${path} is open to every user of this machine; run chmod o= ${shellWord(path)}`))
}

/** Finds files that killed commands left in the folder. */
export function checkLeftovers(folder: string): Finding[] {
  const { warn } = findingsOf('leftovers')
  try {
    const origin = 'was left by a command that was killed, or that is still running'
    return findLeftovers(folder).map(path => warn(`${path} ${origin}. The next start of the service removes it.`))
  } catch {
    // `checkFolder` reports that the folder cannot be read.
    return []
  }
}

/** The folder itself, or its nearest existing ancestor. */
export function nearestFolder(folder: string): string {
  const path = resolve(folder)
  return existsSync(path) ? path : nearestFolder(dirname(path))
}

/** The suffixes of the store's file and of the files that SQLite keeps next to it. */
const STORE_FILES = ['', '-wal', '-shm']

/** `hidden`: this user may not look there. */
function look(path: string): Stats | undefined | 'hidden' {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return 'hidden'
  }
}

function isUsable(folder: string): boolean {
  return isAllowed(folder, constants.R_OK | constants.W_OK | constants.X_OK)
}

function isWritableIfThere(file: string): boolean {
  return !existsSync(file) || isAllowed(file, constants.R_OK | constants.W_OK)
}

function isAllowed(path: string, access: number): boolean {
  try {
    accessSync(path, access)
    return true
  } catch {
    return false
  }
}

function remedy(path: string): string {
  return `run this command as the owner of ${path}, or chown it to this user`
}

function isOpenToOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0
}
