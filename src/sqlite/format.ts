import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Mistake } from '../domain/errors.ts'

/** Marks a SQLite file as a store of this program: "PETS" in ASCII. Stores made before there was a mark have 0. */
export const APPLICATION_ID = 0x50455453

const MIGRATIONS_FOLDER = new URL('migrations/', import.meta.url)

/** The file names of the migrations, in their order. A store's version is how many of them it has seen. */
export function listMigrations(): string[] {
  return readdirSync(MIGRATIONS_FOLDER).sort()
}

/** The statements of a migration. */
export function readMigration(name: string): string {
  return readFileSync(new URL(name, MIGRATIONS_FOLDER), 'utf8')
}

/** Tables that every version has. */
const OWN_TABLES = ['store', 'account', 'api_key', 'pet']

/**
 * The version of the store in a file; 0: nothing is in it yet. Changes nothing.
 * @throws Mistake when the file is something else, or of a newer version
 */
export function readVersion(database: DatabaseSync, file: string): number {
  // One statement, for another process may be making the store just now.
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
  const newest = listMigrations().length
  if (version > newest) {
    throw new Mistake(
      'conflict',
      `The store is of version ${version}, this program knows ${newest}: a newer one wrote it.`,
    )
  }
  return version
}

export function notAStore(file: string): Mistake {
  return new Mistake('conflict', `The file ${file} is not a Petstore store.`)
}
