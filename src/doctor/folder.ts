import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { databaseFile } from '../sqlite/connection.ts'
import type { Finding } from './finding.ts'

const CHECK = 'folder'
/** The permissions of those who are neither the owner nor in the group. */
const OTHERS = 0o007

/** Whether the folder can be used, and is closed to others. */
export function checkFolder(folder: string): Finding[] {
  if (!existsSync(folder)) {
    const parent = nearestFolder(folder)
    return isUsable(parent)
      ? [finding('ok', `There is no folder ${folder} yet; it is made when it is needed.`)]
      : [finding('fail', `The folder ${folder} cannot be made: ${parent} cannot be written; set PETSTORE_DATA.`)]
  }
  if (!statSync(folder).isDirectory()) return [finding('fail', `${folder} is not a folder; set PETSTORE_DATA.`)]
  if (!isUsable(folder)) return [finding('fail', `The folder ${folder} cannot be written by this user.`)]
  const open = [folder, databaseFile(folder)].filter(path => existsSync(path) && isOpenToOthers(path))
  if (open.length === 0) return [finding('ok', `The folder ${folder} can be written, and is closed to others.`)]
  return open.map(path => finding('warn', `${path} is open to every user of this machine; chmod o= ${path}`))
}

/** The folder itself, or what it would be made in. */
export function nearestFolder(folder: string): string {
  const path = resolve(folder)
  return existsSync(path) ? path : nearestFolder(dirname(path))
}

function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function isOpenToOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0
}

function finding(outcome: Finding['outcome'], message: string): Finding {
  return { check: CHECK, outcome, message }
}
