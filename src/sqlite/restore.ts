import {
  closeSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { entryOf } from '../domain/administration/acting.ts'
import type { Actor } from '../domain/audit.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { formatTime } from '../domain/time.ts'
import { syncFolder } from '../files/sync-to-disk.ts'
import { databaseFile, otherDeployment } from './connection.ts'
import { copyStore } from './copy.ts'
import { type Holdings, identifyStore, readingUrl, readState } from './inspect.ts'
import { forget, remember } from './known-store.ts'
import { removeLeftovers, WORKSHOP } from './leftovers.ts'
import { makeFile, makeFolder } from './make-file.ts'
import { isBusy, isUnreadable } from './mistakes.ts'
import { ensureNotMoved } from './moved.ts'
import { lockForServing } from './serving-lock.ts'

export interface RestoreOptions {
  /** Move aside the store that the folder holds. */
  force?: boolean
  /** Breaks the restoring off, as long as the folder's store is as it was. */
  signal?: AbortSignal | undefined
}

export interface Restored {
  holdings: Holdings
  /** The version that the backup had, which has been brought to this program's. */
  fromVersion: number
  /** Where the store is now that the folder held before. */
  movedTo: string | undefined
}

/** Who restores, and when. */
export interface Restorer {
  actor: Actor
  /** Unix milliseconds. */
  now: number
}

/**
 * Makes a backup the store of a folder. The copy is made, brought to this version and checked beside the store; only then does it
 * take the store's place, in one step: whatever happens before leaves the store as it was. Nobody is signed in to it, and its audit
 * log tells who restored it from which file.
 * @throws Mistake when the file is no sound store of this deployment, a service is running on the folder, or there is a store
 */
export async function restoreStore(
  folder: string,
  deployment: Deployment,
  file: string,
  restorer: Restorer,
  { force = false, signal }: RestoreOptions = {},
): Promise<Restored> {
  const { deployment: own, version: fromVersion } = identifyStore(file)
  if (own !== deployment) throw otherDeployment(file, own, deployment)
  makeFolder(folder)
  ensureNotMoved(folder)
  const target = databaseFile(folder)
  if (existsSync(target) && realpathSync(target) === realpathSync(file)) {
    throw new Mistake('invalid', `The file ${file} is the store of ${folder} itself; name a backup.`)
  }
  const release = lockForServing(
    folder,
    `A service, or petstore migrate-store, is running on the folder ${folder}; stop it first.`,
  )
  removeLeftovers(folder)
  const workshop = mkdtempSync(join(folder, WORKSHOP))
  try {
    ensureMayReplace(target, force)
    const copy = databaseFile(workshop)
    makeFile(copy)
    const entry = entryOf(restorer, 'store.restore', { file: basename(file) })
    const names = { sourceName: file, targetName: target }
    const revive = { deployment, entry }
    const holdings = await copyStore(
      { source: readingUrl(file).href, target: copy, ...names, now: restorer.now, revive },
      signal,
    )
    const state = readState(copy)
    const movedTo = replace(target, copy, restorer.now)
    syncFolder(folder)
    remember(target, () => state)
    return { holdings, fromVersion, movedTo }
  } finally {
    rmSync(workshop, { recursive: true, force: true, maxRetries: 3 })
    release()
  }
}

function ensureMayReplace(target: string, force: boolean): void {
  if (force || !existsSync(target)) return
  throw new Mistake('conflict', `There is a store already, ${target}; add --force to have it moved aside.`)
}

/** Puts the copy in the store's place, and what was there aside, where nothing of it is lost. There is a store at any moment. */
function replace(target: string, copy: string, now: number): string | undefined {
  const aside = asideName(target, now)
  const wasThere = existsSync(target)
  const letGo = wasThere ? holdAlone(target) : () => {}
  try {
    // A log that stays would be taken for a part of the copy.
    for (const suffix of ['-wal', '-journal']) {
      if (existsSync(target + suffix)) renameSync(target + suffix, aside + suffix)
    }
    rmSync(`${target}-shm`, { force: true })
    if (wasThere) nameAside(target, aside)
    // Before the store is another one: whatever happens in between, no store is refused.
    forget(target)
    renameSync(copy, target)
  } finally {
    letGo()
  }
  return wasThere ? aside : undefined
}

/** A second name, so that the folder is never without a store; where a disk knows no second names, the first one is taken away. */
function nameAside(target: string, aside: string): void {
  try {
    linkSync(target, aside)
  } catch {
    renameSync(target, aside)
  }
}

/** Such as petstore.db.before-restore-2027-03-01T12-00-00Z, which nothing has yet. */
function asideName(target: string, now: number): string {
  const name = `${target}.before-restore-${formatTime(now).replaceAll(':', '-')}`
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}-${number}`
    if (!existsSync(free)) return free
  }
}

/**
 * Takes a store for this process alone: brings its log into the file, and locks it. A process that opens it just then waits, and
 * when the file has been moved cannot write it any more. What SQLite cannot read, nobody can have open.
 * @returns what gives it free
 * @throws Mistake when another process has it open
 */
function holdAlone(target: string): () => void {
  // SQLite would delete the log of what is no database.
  if (!looksLikeDatabase(target)) return () => {}
  const database = new DatabaseSync(target, { timeout: 5_000 })
  try {
    // Leaving WAL works for the only connection alone.
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (isUnreadable(error)) return () => {}
    if (!isBusy(error)) throw error
    throw new Mistake('conflict', `Another process has the store ${target} open; try again when that has ended.`)
  }
  return () => database.close()
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

/** What every SQLite file begins with (sqlite.org/fileformat.html, 1.3). */
const MAGIC = 'SQLite format 3\0'
