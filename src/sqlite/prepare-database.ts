import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Deployment } from '../domain/deployment.ts'
import { conflict } from '../domain/errors.ts'
import { nameCompleted, removeAbandoned } from '../files/partial-file.ts'
import { ensureDeployment } from '../sql/migrations.ts'
import { backUpBeforeUpgrade } from './backup/before-upgrade.ts'
import { BUSY_TIMEOUT_MS, configure, finishFile, open } from './connection.ts'
import { createFolder } from './data-folder/create.ts'
import { createWhole } from './data-folder/create-whole.ts'
import { identityOf, isFileAt } from './data-folder/file-identity.ts'
import { ensureLastStore, NO_STORE, recordLastStore, stateOf } from './data-folder/last-store.ts'
import { ensureNotMoved } from './data-folder/moved-marker.ts'
import { ensureServedFiles } from './data-folder/served-files.ts'
import { databaseFile, storeFile } from './data-folder/store-files.ts'
import { ensureWholeLog } from './data-folder/whole-log.ts'
import { pause } from './pause.ts'
import { isServedByAnother } from './serving-lock.ts'
import { isBusy, toUserError } from './sqlite-errors.ts'
import { APPLICATION_ID, MIGRATIONS, readVersion, runMigrations } from './store-version.ts'

/**
 * Creates the folder and the store if they are missing, accessible only to this user, and upgrades the store to this version.
 * @throws UserError when the folder cannot be used, a running service has lost its files, part of the log is gone, or the file is not a
 * complete store, has a newer version, belongs to the other deployment, or is not the store that was last used in the folder
 */
export function prepareDatabase(folder: string, deployment: Deployment): void {
  createFolder(folder)
  ensureNotMoved(folder)
  ensureServedFiles(folder)
  const file = databaseFile(folder)
  if (!existsSync(file)) {
    ensureLastStore(file, () => undefined)
    createStore(storeFile(folder), deployment)
  }
  ensureNotEmpty(file)
  ensureWholeLog(folder)
  const identity = identityOf(file)
  prepareFile(file, deployment, file, (database, version) => {
    // A restore may have replaced the file since it was opened.
    if (!isFileAt(file, identity)) return
    ensureLastStore(file, () => (version > 0 ? stateOf(database) : NO_STORE))
    if (version === 0) return
    recordLastStore(file, () => stateOf(database))
    backUpIfOlder(database, file)
  })
}

/** An upgrade cannot be undone: going back to the older version of the program requires this backup. */
function backUpIfOlder(database: DatabaseSync, file: string): void {
  const version = readVersion(database, file)
  if (version < MIGRATIONS.length && !isServedByAnother(dirname(file))) backUpBeforeUpgrade(file, version)
}

/**
 * Whether a file has a store of this version. Changes nothing.
 * @throws UserError also when part of its log is gone
 */
export function isCurrentFile(file: string): boolean {
  if (!existsSync(file)) return false
  // Opening it would make SQLite discard the length of its log.
  ensureWholeLog(dirname(file))
  using database = open(file)
  return readVersion(database, file) === MIGRATIONS.length
}

/** A store gets its name only when it is complete. So if a file with this name is empty, someone has emptied it. */
function createStore(file: string, deployment: Deployment): void {
  removeAbandoned(dirname(file))
  try {
    createWhole(file, part => fillStore(part, deployment, file), nameCompleted)
  } catch (error) {
    // Another process has just created one.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Does not wait for the disk at each step: a file without its name is worth nothing. */
function fillStore(part: string, deployment: Deployment, name: string): void {
  try {
    using database = open(part)
    database.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL')
    migrate(database, part, deployment)
    finishFile(database)
  } catch (error) {
    throw toUserError(name, error)
  }
}

function ensureNotEmpty(file: string): void {
  if (statSync(file).size > 0) return
  throw conflict(
    `The file ${file} is empty, so the store is gone. Restore a backup, or delete this file and ${file}.known to start with a new store.`,
  )
}

const RETRY_AFTER_MS = 5

/**
 * Upgrades a file to this version.
 * @param name of the file, for messages
 * @param onFound receives the file and its version, 0 if there is no store in it, before anything is written
 * @throws UserError when it is not a store, has a newer version or belongs to the other deployment
 */
export function prepareFile(file: string, deployment: Deployment, name = file, onFound?: OnFound): void {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      prepare(file, deployment, name, onFound)
      return
    } catch (error) {
      // If several processes create a store at once, one switches to WAL, and SQLite refuses the others without waiting.
      if (!isBusy(error) || performance.now() >= deadline) throw toUserError(name, error)
      pause(RETRY_AFTER_MS)
    }
  }
}

type OnFound = (database: DatabaseSync, version: number) => void

function prepare(file: string, deployment: Deployment, name: string, onFound?: OnFound): void {
  using database = open(file)
  // Comes before the first write, so that a file of another program stays as it is.
  const version = readVersion(database, name)
  if (version > 0) checkDeployment(database, deployment, name)
  onFound?.(database, version)
  migrate(configure(database), file, deployment)
  // Another process may have created the store in the meantime.
  checkDeployment(database, deployment, name)
}

function checkDeployment(database: DatabaseSync, wanted: Deployment, name: string): void {
  const { deployment } = database.prepare('SELECT deployment FROM store').get() as { deployment: Deployment }
  ensureDeployment(`The store ${name}`, deployment, wanted)
}

/** Runs all pending migrations in one transaction. Several processes may try at the same time. */
function migrate(database: DatabaseSync, file: string, deployment: Deployment): void {
  const version = readVersion(database, file)
  if (version === MIGRATIONS.length) return
  if (version > 0 && isServedByAnother(dirname(file))) {
    throw conflict(
      `A service of an older version is running on the store ${file}; stop it before this version changes its tables.`,
    )
  }
  database.exec('BEGIN IMMEDIATE')
  try {
    const seen = readVersion(database, file)
    runMigrations(database, seen)
    if (seen === 0) {
      database
        .prepare('INSERT INTO store (deployment, cursor_secret) VALUES (?, ?)')
        .run(deployment, new Uint8Array(randomBytes(32)))
    }
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`)
  } catch (error) {
    // Some errors, such as a full disk, have already ended the transaction.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
