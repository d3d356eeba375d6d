import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { databaseFile, makeFile, otherDeployment } from './connection.ts'
import { copyStore } from './copy.ts'
import type { Holdings } from './inspect.ts'
import { syncToDisk } from './sync-to-disk.ts'

export interface BackupOptions {
  /** Replace the file if there is one. */
  force?: boolean
  /** Breaks the backup off. */
  signal?: AbortSignal | undefined
}

export interface Backup {
  holdings: Holdings
  bytes: number
}

/**
 * Writes all that a folder's store holds at one moment into one file that this user alone may read, also while a service is
 * writing. The file has its name only when it is whole, checked and on disk; until then, and if it fails, there is nothing.
 * @throws Mistake when there is no sound store, it is of the other deployment, or the file is there or cannot be written
 */
export async function backupStore(
  folder: string,
  deployment: Deployment,
  file: string,
  now: number,
  { force = false, signal }: BackupOptions = {},
): Promise<Backup> {
  const original = databaseFile(folder)
  ensureIsStore(folder, original)
  ensureMayWrite(folder, file, force)
  const partial = join(dirname(resolve(file)), `.${basename(file)}.${randomBytes(6).toString('hex')}.partial`)
  makeFile(partial, 'name a file in a folder that is there and may be written')
  try {
    const order = { source: writingUrl(original), sourceFile: original, target: partial, now }
    const holdings = await copyStore(order, signal)
    if (holdings.deployment !== deployment) throw otherDeployment(original, holdings.deployment, deployment)
    ensureMayWrite(folder, file, force)
    renameSync(partial, file)
    syncToDisk(dirname(resolve(file)))
    return { holdings, bytes: statSync(file).size }
  } finally {
    for (const suffix of ['', '-journal']) rmSync(partial + suffix, { force: true })
  }
}

function ensureIsStore(folder: string, original: string): void {
  if (existsSync(original)) return
  throw new Mistake('not_found', `There is no store in ${folder}; set PETSTORE_DATA to the folder of one.`)
}

/** A connection that may write: as the last one to a store it leaves no log behind. It makes no file that is not there. */
function writingUrl(file: string): string {
  const url = pathToFileURL(resolve(file))
  url.search = 'mode=rw'
  return url.href
}

/** @throws Mistake when the file must not be written, or what stands there would be lost or taken for a part of it */
function ensureMayWrite(folder: string, file: string, force: boolean): void {
  if (isOwn(folder, file)) {
    throw new Mistake('invalid', `The file ${file} is the store's own; name another one for the backup.`)
  }
  const rest = LEFT_BESIDE.map(suffix => file + suffix).find(name => existsSync(name))
  if (rest) throw new Mistake('conflict', `${rest} would be taken for a part of the backup; move it away.`)
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (!found) return
  if (!found.isFile()) throw new Mistake('invalid', `${file} is there and is no plain file; name another one.`)
  if (!force) throw new Mistake('conflict', `The file ${file} is there already; name another one, or add --force.`)
}

/** What SQLite reads together with a file, if it is there. */
const LEFT_BESIDE = ['-wal', '-journal']

function isOwn(folder: string, file: string): boolean {
  const isThere = existsSync(dirname(resolve(file))) && realpathSync(dirname(resolve(file))) === realpathSync(folder)
  return isThere && /^(petstore\.db|serving\.lock)(-\w+)?$/.test(basename(file))
}
