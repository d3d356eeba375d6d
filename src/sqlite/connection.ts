import { randomBytes } from 'node:crypto'
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { APPLICATION_ID, listMigrations, MIGRATIONS_FOLDER, readVersion } from './format.ts'
import { mistakeOf } from './mistakes.ts'

/** How long a write waits for a writer in another process. */
const BUSY_TIMEOUT_MS = 5_000
/** What the write-ahead log is cut back to after it has once grown, as by the import of a large file. */
const LOG_BYTES = 16_777_216
const SET_FOLDER = 'set PETSTORE_DATA'

/** The one file that holds everything, inside the store's folder. */
export function databaseFile(folder: string): string {
  return join(folder, 'petstore.db')
}

/** Opens a connection. A commit returns when it is on disk: WAL with synchronous=FULL. */
export function connect(file: string): DatabaseSync {
  return configure(open(file))
}

/**
 * Makes the folder and the file where they are missing, for this user alone, and brings the file to this version.
 * @throws Mistake when the folder cannot be used, or the file is no store, or one of a newer version or of the other deployment
 */
export function prepareDatabase(folder: string, deployment: Deployment): void {
  makeFolder(folder)
  const file = databaseFile(folder)
  makeFile(file)
  try {
    prepare(file, deployment)
  } catch (error) {
    throw mistakeOf(file, error)
  }
}

/** @throws Mistake when the folder cannot be made or written */
export function makeFolder(folder: string): void {
  try {
    makePath(resolve(folder))
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw cannotBeWritten(`folder ${folder}`, error, SET_FOLDER)
  }
}

/** Not `recursive: true`, which never returns where a parent exists that nothing can be made in, such as /proc. */
function makePath(folder: string): void {
  if (existsSync(folder)) return
  makePath(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

/**
 * Makes an empty file that only this user may read, unless there is one; SQLite gives what it puts beside it the same mode. Never
 * opens one that exists: closing it again would take the locks that this process has on it (sqlite.org/howtocorrupt.html, 2.2).
 */
export function makeFile(file: string, advice = SET_FOLDER): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotBeWritten(`file ${file}`, error, advice)
  }
}

function cannotBeWritten(what: string, error: unknown, advice: string): Mistake {
  const { code } = error as NodeJS.ErrnoException
  return new Mistake('invalid', `The ${what} cannot be written (${code}); ${advice}.`)
}

function open(file: string): DatabaseSync {
  return new DatabaseSync(file, { readBigInts: true, timeout: BUSY_TIMEOUT_MS })
}

function configure(database: DatabaseSync): DatabaseSync {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  database.exec(`PRAGMA journal_size_limit = ${LOG_BYTES}`)
  return database
}

function prepare(file: string, deployment: Deployment): void {
  const database = open(file)
  try {
    // Before anything is written: somebody else's file stays as it is.
    readVersion(database, file)
    migrate(configure(database), file, deployment)
    const row = database.prepare('SELECT deployment FROM store').get() as { deployment: Deployment }
    if (row.deployment !== deployment) throw otherDeployment(file, row.deployment, deployment)
  } finally {
    database.close()
  }
}

export function otherDeployment(file: string, own: Deployment, wanted: Deployment): Mistake {
  return new Mistake('conflict', `The store ${file} belongs to ${own}; it cannot be opened as ${wanted}.`)
}

/** Runs the migrations that the file has not seen, all in one transaction. Several processes may try at once. */
function migrate(database: DatabaseSync, file: string, deployment: Deployment): void {
  const migrations = listMigrations()
  if (readVersion(database, file) === migrations.length) return
  database.exec('BEGIN IMMEDIATE')
  try {
    const seen = readVersion(database, file)
    for (const name of migrations.slice(seen)) database.exec(readFileSync(new URL(name, MIGRATIONS_FOLDER), 'utf8'))
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
