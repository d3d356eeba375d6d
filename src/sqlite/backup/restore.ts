import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { entryOf } from '../../domain/administration/context.ts'
import type { Actor } from '../../domain/audit.ts'
import type { Deployment } from '../../domain/deployment.ts'
import { conflict } from '../../domain/errors.ts'
import { formatTime } from '../../domain/time.ts'
import { giveFolderToOwner } from '../../files/give-to-owner.ts'
import { partialFile } from '../../files/partial-file.ts'
import { syncFolder } from '../../files/sync-to-disk.ts'
import { ensureDeployment } from '../../sql/migrations.ts'
import { BUSY_TIMEOUT_MS } from '../connection.ts'
import { createFile, createFolder } from '../data-folder/create.ts'
import { forgetLastStore, recordLastStore } from '../data-folder/last-store.ts'
import { removeLeftovers } from '../data-folder/leftovers.ts'
import { ensureNotMoved } from '../data-folder/moved-marker.ts'
import { databaseFile, storeFile } from '../data-folder/store-files.ts'
import { lockFile, lockForServing, removeHeldLock } from '../serving-lock.ts'
import { isBusy, isUnreadable, toUserError } from '../sqlite-errors.ts'
import { type Holdings, identifyStore, readOnlyUrl, readState } from './inspect.ts'
import { copyStore } from './vacuum-copy.ts'

export interface RestoreOptions {
  /** Set aside an existing store. */
  force?: boolean
  /** Aborts the restore, up to the moment when the copy replaces the store. */
  signal?: AbortSignal | undefined
}

export interface RestoreReport {
  holdings: Holdings
  /** The version of the backup, before it was migrated. */
  fromVersion: number
  /** Where the previous store of the folder is now. */
  movedTo: string | undefined
}

export interface Restorer {
  actor: Actor
  /** Unix milliseconds. */
  now: number
}

/**
 * Replaces the store of a folder with a backup. It creates a copy next to the store, migrates it to this version, checks it, and then replaces
 * the store in one step. If anything fails before that, the store does not change.
 * All sessions and sign-in links end, and the audit log of the restored store records who restored it from which file.
 * @throws UserError when the file is not a sound store of this deployment, a service runs on the folder, or it already has a store
 */
export async function restoreStore(
  folder: string,
  deployment: Deployment,
  file: string,
  restorer: Restorer,
  { force = false, signal }: RestoreOptions = {},
): Promise<RestoreReport> {
  const { version: fromVersion, deployment: own } = identifyStore(file)
  ensureDeployment(`The store ${file}`, own, deployment)
  ensureNotMoved(folder)
  const target = storeFile(folder)
  if (existsSync(target) && realpathSync(target) === realpathSync(file)) {
    throw conflict(`The file ${file} is the store of ${folder} itself; name a backup.`)
  }
  // A restore that refuses leaves nothing behind.
  let isRestored = false
  using work = new DisposableStack()
  const isNewFolder = !existsSync(folder)
  createFolder(folder)
  work.defer(() => {
    if (isNewFolder && !isRestored) removeIfEmpty(folder)
  })
  const isNewLock = !existsSync(lockFile(folder))
  work.defer(lockForServing(folder, 'stop it first'))
  work.defer(() => {
    if (isNewLock && !isRestored) removeHeldLock(folder)
  })
  removeLeftovers(folder)
  ensureMayReplace(target, force)
  if (!existsSync(dirname(target))) throw conflict(`The store of ${folder} is a link to ${target}; mount its disk.`)
  const workFolder = partialFile(target)
  mkdirSync(workFolder, 0o700)
  work.defer(() => rmSync(workFolder, { recursive: true, force: true, maxRetries: 3 }))
  giveFolderToOwner(workFolder)
  const copy = databaseFile(workFolder)
  createFile(copy)
  const entry = entryOf(restorer, 'store.restore', { details: { file: basename(file) } })
  const request = {
    source: readOnlyUrl(file).href,
    sourceName: file,
    target: copy,
    targetName: target,
    now: restorer.now,
    prepareForService: { deployment, entry },
  }
  const holdings = await copyStore(request, signal)
  const state = readState(copy)
  const movedTo = replace(folder, copy, restorer.now)
  syncFolder(dirname(target))
  recordLastStore(databaseFile(folder), () => state)
  isRestored = true
  return { holdings, fromVersion, movedTo }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Another process has put something in it.
  }
}

function ensureMayReplace(target: string, force: boolean): void {
  if (force || !existsSync(target)) return
  throw conflict(`The store ${target} already exists; add --force to set it aside.`)
}

/** Replaces the store with the copy, and sets the complete store aside. The folder has a store at any moment. */
function replace(folder: string, copy: string, now: number): string | undefined {
  const target = storeFile(folder)
  const aside = asideName(target, now)
  const exists = existsSync(target)
  using _lock = exists ? lockDatabase(target) : undefined
  // Before anything moves: if this fails, the folder is as it was, and if the restore is killed later, either store is accepted.
  forgetLastStore(databaseFile(folder))
  // SQLite would read a remaining log as part of the copy.
  for (const suffix of ['-wal', '-journal']) {
    if (existsSync(target + suffix)) renameSync(target + suffix, aside + suffix)
  }
  rmSync(`${target}-shm`, { force: true })
  if (exists) nameAside(target, aside)
  renameSync(copy, target)
  return exists ? aside : undefined
}

/** Adds a second name, so that the folder is never without a store. Without hard links, renames the file instead. */
function nameAside(target: string, aside: string): void {
  try {
    linkSync(target, aside)
  } catch {
    renameSync(target, aside)
  }
}

/** A free name such as petstore.db.before-restore-2027-03-01T12-00-00Z. */
function asideName(target: string, now: number): string {
  const name = `${target}.before-restore-${formatTime(now).replaceAll(':', '-')}`
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}-${number}`
    if (!existsSync(free)) return free
  }
}

/**
 * Writes the log of a store into its file and locks it. A process that opens the store in the meantime waits, and cannot write to the file
 * once it has been set aside. A file that SQLite cannot read needs no lock: no process can have it open.
 * @returns the connection that holds the lock
 * @throws UserError when another process has the store open
 */
function lockDatabase(target: string): DatabaseSync | undefined {
  // SQLite would delete the log next to a file that is not a database.
  if (!looksLikeDatabase(target)) return undefined
  const database = new DatabaseSync(target, { timeout: BUSY_TIMEOUT_MS })
  try {
    // Only the sole connection can leave WAL mode.
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (isUnreadable(error)) return undefined
    if (!isBusy(error)) throw toUserError(target, error)
    throw conflict(`Another process has the store ${target} open; try again when it has ended.`)
  }
}

function looksLikeDatabase(file: string): boolean {
  const start = Buffer.alloc(MAGIC.length)
  const opened = openSync(file, 'r')
  try {
    return readSync(opened, start) === MAGIC.length && start.toString('latin1') === MAGIC
  } finally {
    closeSync(opened)
  }
}

/** The first bytes of every SQLite file (sqlite.org/fileformat.html, 1.3). */
const MAGIC = 'SQLite format 3\0'
