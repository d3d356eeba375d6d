import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'

const MIGRATIONS_FOLDER = new URL('migrations/', import.meta.url)
/** How long a write waits for a writer in another process. */
const BUSY_TIMEOUT_MS = 5_000

/** The one file that holds everything, inside the store's folder. */
export function databaseFile(folder: string): string {
  return join(folder, 'petstore.db')
}

/** Opens a connection. A commit returns when it is on disk: WAL with synchronous=FULL. */
export function connect(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readBigInts: true, timeout: BUSY_TIMEOUT_MS })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  return database
}

/**
 * Makes the folder and the file where they are missing, and brings the file to this version.
 * @throws Mistake when the folder cannot be used, or the store is of a newer version or of the other deployment
 */
export function prepareDatabase(folder: string, deployment: Deployment): void {
  makeFolder(folder)
  const database = openOrExplain(databaseFile(folder))
  try {
    migrate(database, deployment)
    const row = database.prepare('SELECT deployment FROM store').get() as { deployment: Deployment }
    if (row.deployment !== deployment) {
      throw new Mistake(`The store in ${folder} belongs to ${row.deployment}; it cannot be opened as ${deployment}.`)
    }
  } finally {
    database.close()
  }
}

function makeFolder(folder: string): void {
  try {
    makePath(resolve(folder))
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new Mistake(
      `The folder ${folder} cannot be written (${(error as NodeJS.ErrnoException).code}); set PETSTORE_DATA.`,
    )
  }
}

/** Not `recursive: true`, which never returns where a parent exists that nothing can be made in, such as /proc. */
function makePath(folder: string): void {
  if (existsSync(folder)) return
  makePath(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

function openOrExplain(file: string): DatabaseSync {
  try {
    return connect(file)
  } catch (error) {
    throw new Mistake(`The store ${file} cannot be opened: ${(error as Error).message}.`)
  }
}

/** Runs the migrations that the file has not seen, all in one transaction. Several processes may try at once. */
function migrate(database: DatabaseSync, deployment: Deployment): void {
  const migrations = readdirSync(MIGRATIONS_FOLDER).sort()
  const version = () => Number((database.prepare('PRAGMA user_version').get() as { user_version: bigint }).user_version)
  if (version() === migrations.length) return
  database.exec('BEGIN IMMEDIATE')
  try {
    const seen = version()
    if (seen > migrations.length) {
      throw new Mistake(
        `The store is of version ${seen}, this program knows ${migrations.length}: a newer one wrote it.`,
      )
    }
    for (const file of migrations.slice(seen)) database.exec(readFileSync(new URL(file, MIGRATIONS_FOLDER), 'utf8'))
    if (seen === 0) {
      database
        .prepare('INSERT INTO store (deployment, cursor_secret) VALUES (?, ?)')
        .run(deployment, new Uint8Array(randomBytes(32)))
    }
    database.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`)
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}
