import { accessSync, constants, existsSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { databaseFile } from '../sqlite/connection.ts'
import type { Finding } from './finding.ts'

const CHECK = 'folder'
/** The permissions of those who are neither the owner nor in the group. */
const OTHERS = 0o007

/** Whether the folder can be used, and is closed to others. */
export function checkFolder(folder: string): Finding[] {
  const found = look(folder)
  if (found === 'hidden') {
    return [
      finding('fail', `The folder ${folder} cannot be reached by this user; ${remedy(dirname(resolve(folder)))}.`),
    ]
  }
  if (!found) {
    const parent = nearestFolder(folder)
    return isUsable(parent)
      ? [finding('ok', `There is no folder ${folder} yet; it is made when it is needed.`)]
      : [finding('fail', `The folder ${folder} cannot be made: ${parent} cannot be written; set PETSTORE_DATA.`)]
  }
  if (!found.isDirectory()) return [finding('fail', `${folder} is not a folder; set PETSTORE_DATA.`)]
  if (!isUsable(folder)) {
    return [finding('fail', `The folder ${folder} cannot be entered and written by this user; ${remedy(folder)}.`)]
  }
  const locked = STORE_FILES.map(suffix => databaseFile(folder) + suffix).filter(file => !isWritableIfThere(file))
  if (locked.length > 0) {
    return locked.map(file => finding('fail', `${file} cannot be read and written by this user; ${remedy(file)}.`))
  }
  const open = [folder, databaseFile(folder)].filter(path => existsSync(path) && isOpenToOthers(path))
  if (open.length === 0) return [finding('ok', `The folder ${folder} can be written, and is closed to others.`)]
  return open.map(path => finding('warn', `${path} is open to every user of this machine; chmod o= ${path}`))
}

/** The folder itself, or what it would be made in. */
export function nearestFolder(folder: string): string {
  const path = resolve(folder)
  return existsSync(path) ? path : nearestFolder(dirname(path))
}

/** The store's file, and what SQLite has beside it. */
const STORE_FILES = ['', '-wal', '-shm']

/** What stands at a path, unless this user may not look. */
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
  return `run this as the user that it belongs to, or chown ${path} to this one`
}

function isOpenToOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0
}

function finding(outcome: Finding['outcome'], message: string): Finding {
  return { check: CHECK, outcome, message }
}
