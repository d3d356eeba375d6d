import { DatabaseSync } from 'node:sqlite'
import { conflict, type UserError } from '../domain/errors.ts'
import { ensureSupported, readMigrations } from '../sql/migrations.ts'
import { addFunctions } from './connection.ts'

/** Marks a SQLite file as a store of this program: "PETS" in ASCII. The oldest stores have 0. */
export const APPLICATION_ID = 0x50455453

/** In order; see sql/migrations.ts. */
export const MIGRATIONS = readMigrations(new URL('migrations/', import.meta.url))

/** Tables that every version has. */
const OWN_TABLES = ['store', 'account', 'api_key', 'pet']

/**
 * Reads the version of the store in a file; 0 if the file is empty. Changes nothing.
 * @throws UserError when the file is not a store, or is a store of a newer version
 */
export function readVersion(database: DatabaseSync, file: string): number {
  // One statement, because another process may be creating the store at this moment.
  const row = database
    .prepare(
      `SELECT (SELECT application_id FROM pragma_application_id) AS application,
         (SELECT user_version FROM pragma_user_version) AS version,
         (SELECT count(*) FROM sqlite_schema) AS things,
         (SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN (${OWN_TABLES.map(() => '?').join(', ')})) AS own`,
    )
    .get(...OWN_TABLES) as Record<'application' | 'version' | 'things' | 'own', number | bigint>
  const version = Number(row.version)
  const isMarked = Number(row.application) === APPLICATION_ID
  const isEmpty = version === 0 && Number(row.things) === 0
  const isStore = version > 0 && Number(row.own) === OWN_TABLES.length
  if (!(isMarked || Number(row.application) === 0) || !(isEmpty || isStore)) throw notAStore(file)
  ensureSupported(`The store ${file}`, version, MIGRATIONS.length)
  return version
}

/** An in-memory store as the migrations create it, without any rows. */
export function createEmptyStore(version = MIGRATIONS.length): DatabaseSync {
  const database = addFunctions(new DatabaseSync(':memory:'))
  runMigrations(database, 0, version)
  return database
}

export function runMigrations(database: DatabaseSync, from: number, to = MIGRATIONS.length): void {
  // Otherwise, SQLite does not allow migrations to change the text of the schema.
  database.enableDefensive(false)
  for (const migration of MIGRATIONS.slice(from, to)) database.exec(migration)
  database.enableDefensive(true)
}

export function notAStore(file: string): UserError {
  return conflict(`The file ${file} is not a Petstore store.`)
}
