import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { nameNew, partOf, removeLeftParts } from '../files/parts.ts'
import { syncFolder } from '../files/sync-to-disk.ts'
import { addChecksumFunction } from './checksum-function.ts'
import { APPLICATION_ID, listMigrations, readMigration, readVersion } from './format.ts'
import { identityOf, leadsTo, logFile, whereLinkLeads } from './identity.ts'
import { ensureKnown, remember, stateOf } from './known-store.ts'
import { makeFile, makeFolder } from './make-file.ts'
import { isBusy, mistakeOf } from './mistakes.ts'
import { ensureNotMoved } from './moved.ts'
import { isServedByAnother } from './serving-lock.ts'

/** How long a write waits for a writer in another process. */
const BUSY_TIMEOUT_MS = 5_000
/** What the write-ahead log is cut back to after it has once grown, as by the import of a large file. */
const LOG_BYTES = 16_777_216

/** The one file that holds everything, inside the store's folder. */
export function databaseFile(folder: string): string {
  return join(folder, 'petstore.db')
}

/** Opens a connection. A commit returns when it is on disk: WAL with synchronous=FULL. */
export function connect(file: string): DatabaseSync {
  return configure(open(file))
}

/**
 * Makes the folder and the store where they are missing, for this user alone, and brings the store to this version.
 * @throws Mistake when the folder cannot be used, a running service has lost its files, or the file is no whole store, or one of a
 * newer version or of the other deployment, or not the one that the folder had
 */
export function prepareDatabase(folder: string, deployment: Deployment): void {
  makeFolder(folder)
  ensureNotMoved(folder)
  ensureServedFiles(folder)
  const file = databaseFile(folder)
  if (!existsSync(file)) {
    ensureKnown(file, undefined)
    makeStore(whereLinkLeads(file), deployment)
  }
  ensureNotEmpty(file)
  const identity = identityOf(file)
  prepareFile(file, deployment, file, database => {
    // A restore may have put another in its place since it was opened.
    if (!leadsTo(file, identity)) return
    const state = stateOf(database)
    ensureKnown(file, state)
    remember(file, () => state)
  })
}

/**
 * A store beside a running service must be the one that the service has open: another would be taken for it.
 * @throws Mistake when a service runs on the folder, and the database or its log is not there
 */
export function ensureServedFiles(folder: string): void {
  const lost = findLostFile(folder)
  if (lost) throw new Mistake('conflict', `A service is running on the folder ${folder}, but ${lost}.`)
}

/** What a running service has lost, in words. While it starts or stops, its files are not there for a moment. */
export function findLostFile(folder: string): string | undefined {
  const deadline = performance.now() + LOST_AFTER_MS
  for (;;) {
    const file = databaseFile(folder)
    const lost = [file, logFile(file)].find(path => !existsSync(path))
    if (!lost || !isServedByAnother(folder)) return undefined
    if (performance.now() >= deadline)
      return `its file ${lost} is missing; restart the service, or wait for the end of a restore`
    Atomics.wait(SLEEPER, 0, 0, RETRY_AFTER_MS)
  }
}

/** A store has its name only when it is whole: what is empty then was emptied. */
function makeStore(file: string, deployment: Deployment): void {
  const folder = dirname(file)
  removeLeftParts(folder)
  const part = partOf(file)
  makeFile(part)
  try {
    prepareFile(part, deployment, file)
    nameNew(part, file)
    syncFolder(folder)
  } catch (error) {
    // Another process has made one meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(part + suffix, { force: true })
  }
}

function ensureNotEmpty(file: string): void {
  if (statSync(file).size > 0) return
  throw new Mistake(
    'conflict',
    `The file ${file} is empty, so the store is gone; restore a backup, or delete it and ${file}.known to begin with a new store.`,
  )
}

/**
 * Brings a file to this version.
 * @param name what a person knows the file by
 * @param look is shown a store as it was found, before anything is written
 * @throws Mistake when it is no store, or one of a newer version or of the other deployment
 */
export function prepareFile(file: string, deployment: Deployment, name = file, look?: Look): void {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      prepare(file, deployment, name, look)
      return
    } catch (error) {
      // Of several processes that make a store at once, one switches to WAL, for which SQLite lets the others wait for nothing.
      if (!isBusy(error) || performance.now() >= deadline) throw mistakeOf(name, error)
      Atomics.wait(SLEEPER, 0, 0, RETRY_AFTER_MS)
    }
  }
}

const RETRY_AFTER_MS = 5
/** Longer than a service takes between taking its lock and opening its files. */
const LOST_AFTER_MS = 2_000
/** Nobody wakes it: it is there to wait on. */
const SLEEPER = new Int32Array(new SharedArrayBuffer(4))

function open(file: string): DatabaseSync {
  return addChecksumFunction(new DatabaseSync(file, { readBigInts: true, timeout: BUSY_TIMEOUT_MS }))
}

function configure(database: DatabaseSync): DatabaseSync {
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON',
  )
  database.exec(`PRAGMA journal_size_limit = ${LOG_BYTES}`)
  return database
}

type Look = (database: DatabaseSync) => void

function prepare(file: string, deployment: Deployment, name: string, look?: Look): void {
  const database = open(file)
  try {
    // Before anything is written: somebody else's file stays as it is.
    if (readVersion(database, name) > 0) {
      ensureDeployment(database, deployment, name)
      look?.(database)
    }
    migrate(configure(database), file, deployment)
    // Another process may have made the store meanwhile.
    ensureDeployment(database, deployment, name)
  } finally {
    database.close()
  }
}

function ensureDeployment(database: DatabaseSync, wanted: Deployment, name: string): void {
  const { deployment } = database.prepare('SELECT deployment FROM store').get() as { deployment: Deployment }
  if (deployment !== wanted) throw otherDeployment(name, deployment, wanted)
}

export function otherDeployment(file: string, own: Deployment, wanted: Deployment): Mistake {
  return new Mistake('conflict', `The store ${file} belongs to ${own}; it cannot be opened as ${wanted}.`)
}

/** Runs the migrations that the file has not seen, all in one transaction. Several processes may try at once. */
function migrate(database: DatabaseSync, file: string, deployment: Deployment): void {
  const migrations = listMigrations()
  const version = readVersion(database, file)
  if (version === migrations.length) return
  if (version > 0 && isServedByAnother(dirname(file))) {
    throw new Mistake(
      'conflict',
      `A service of an older version is running on the store ${file}; stop it before this version changes its tables.`,
    )
  }
  database.exec('BEGIN IMMEDIATE')
  try {
    const seen = readVersion(database, file)
    for (const name of migrations.slice(seen)) database.exec(readMigration(name))
    if (seen === 0) {
      database
        .prepare('INSERT INTO store (deployment, cursor_secret) VALUES (?, ?)')
        .run(deployment, new Uint8Array(randomBytes(32)))
    }
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}; COMMIT`)
  } catch (error) {
    // Some errors, such as a full disk, have ended the transaction already.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
