import { existsSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Deployment } from '../../domain/deployment.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { findFile } from '../../files/find-file.ts'
import { writeAtomically } from '../../files/write-atomically.ts'
import { ensureDeployment } from '../../sql/migrations.ts'
import { ensureServedFiles } from '../data-folder/served-files.ts'
import { databaseFile, ensureNotStoreFile } from '../data-folder/store-files.ts'
import { ensureWholeLog } from '../data-folder/whole-log.ts'
import type { Holdings } from './inspect.ts'
import { copyStore } from './vacuum-copy.ts'

export interface BackupOptions {
  /** Replace the file if it exists. */
  force?: boolean
  signal?: AbortSignal | undefined
}

export interface Backup {
  holdings: Holdings
  bytes: number
}

/** A backup contains the hashes of keys and tokens. */
const OWNER_ONLY = 0o600

/**
 * Writes a snapshot of the whole store to one file; safe while a service runs. The file gets its name when it is complete, checked
 * and on disk. If anything fails before that, no file remains.
 * @throws UserError when there is no sound store of this deployment, or the file exists or cannot be written
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
  ensureWholeLog(folder)
  ensureNotStoreFile(folder, file)
  const giveTo = statSync(folder).uid
  const options = { replace: force, mode: OWNER_ONLY, giveTo, ensureAllowed: ensureNothingBeside }
  return writeAtomically(file, options, async partial => {
    try {
      const request = { source: writableUrl(original), sourceName: original, target: partial, targetName: file, now }
      const holdings = await copyStore(request, signal)
      ensureDeployment(`The store ${original}`, holdings.deployment, deployment)
      return { holdings, bytes: statSync(partial).size }
    } finally {
      rmSync(`${partial}-journal`, { force: true })
    }
  })
}

function ensureIsStore(folder: string, original: string): void {
  if (findFile(original)) return
  throw notFound(`There is no store in ${folder}; set PETSTORE_DATA to the folder of one.`)
}

/** A connection that may write removes the log if it is the last one to close. This URL never creates a missing file. */
function writableUrl(file: string): string {
  const url = pathToFileURL(resolve(file))
  url.search = 'mode=rw'
  return url.href
}

/** SQLite reads these together with a database file, if they exist. */
const COMPANION_SUFFIXES = ['-wal', '-journal']

function ensureNothingBeside(target: string): void {
  const companion = COMPANION_SUFFIXES.map(suffix => target + suffix).find(name => existsSync(name))
  if (!companion) return
  throw conflict(`${companion} would be read as part of the backup; move it away.`)
}
