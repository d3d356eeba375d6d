import { existsSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { writeWholeFile } from '../files/whole-file.ts'
import { databaseFile, ensureServedFiles, otherDeployment } from './connection.ts'
import { copyStore } from './copy.ts'
import { findFile } from './find-file.ts'
import type { Holdings } from './inspect.ts'
import { ensureIsForeign } from './own-files.ts'

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

/** It holds the hashes of keys and tokens. */
const OWNER_ALONE = 0o600

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
  ensureServedFiles(folder)
  const ensureFree = (place: string) => {
    ensureIsForeign(folder, file)
    ensureNothingBeside(place)
  }
  ensureIsForeign(folder, file)
  return writeWholeFile(file, { replace: force, mode: OWNER_ALONE, ensureFree }, async begun => {
    try {
      const order = { source: writingUrl(original), sourceName: original, target: begun, targetName: file, now }
      const holdings = await copyStore(order, signal)
      if (holdings.deployment !== deployment) throw otherDeployment(original, holdings.deployment, deployment)
      return { holdings, bytes: statSync(begun).size }
    } finally {
      rmSync(`${begun}-journal`, { force: true })
    }
  })
}

function ensureIsStore(folder: string, original: string): void {
  if (findFile(original)) return
  throw new Mistake('not_found', `There is no store in ${folder}; set PETSTORE_DATA to the folder of one.`)
}

/** A connection that may write: as the last one to a store it leaves no log behind. It makes no file that is not there. */
function writingUrl(file: string): string {
  const url = pathToFileURL(resolve(file))
  url.search = 'mode=rw'
  return url.href
}

/** What SQLite reads together with a file, if it is there. */
const LEFT_BESIDE = ['-wal', '-journal']

function ensureNothingBeside(place: string): void {
  const rest = LEFT_BESIDE.map(suffix => place + suffix).find(name => existsSync(name))
  if (rest) throw new Mistake('conflict', `${rest} would be taken for a part of the backup; move it away.`)
}
