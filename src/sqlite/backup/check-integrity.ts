import type { DatabaseSync } from 'node:sqlite'
import { conflict, type UserError } from '../../domain/errors.ts'
import { COLUMNS } from '../../sql/pet-columns.ts'
import { damaged } from '../sqlite-errors.ts'
import { createEmptyStore } from '../store-version.ts'

/**
 * Checks a whole store, which takes time: its schema, its pages and indexes, its constraints and its checksums.
 * @param name of the file, for messages
 * @throws DamagedStore with the finding; another UserError when another program has added something to a store that may be sound
 */
export function ensureSound(database: DatabaseSync, name: string, version: number): void {
  ensureOwnSchema(database, name, version)
  const { integrity_check: finding } = database.prepare('PRAGMA integrity_check(1)').get() as {
    integrity_check: string
  }
  if (finding !== 'ok') throw damaged(name, finding.replaceAll('\n', ' '))
  const orphan = database.prepare('PRAGMA foreign_key_check').get() as { table: string; parent: string } | undefined
  if (orphan) throw damaged(name, `a row of ${orphan.table} refers to a missing row of ${orphan.parent}`)
  // On a read-only connection, the integrity check does not include the constraints.
  for (const { table, condition } of constraintsOf(database)) {
    const broken = database.prepare(`SELECT 1 FROM ${table} WHERE NOT (${condition}) LIMIT 1`).get()
    if (broken) throw damaged(name, `a row of ${table} violates the constraint ${condition}`)
  }
  if (version >= CHECKSUMS_SINCE) ensureChecksums(database, name)
}

/** The version whose migration added checksums. */
const CHECKSUMS_SINCE = 3

function ensureChecksums(database: DatabaseSync, name: string): void {
  const changed = database.prepare(`SELECT id FROM pet WHERE checksum <> pet_checksum(${COLUMNS}) LIMIT 1`).get() as
    | { id: bigint }
    | undefined
  if (changed) throw damaged(name, `animal ${changed.id} is not as it was stored`)
}

/** An object in a schema, and the statement that creates it. */
interface SchemaEntry {
  type: string
  name: string
  sql: string
}

/** Tables, columns, indexes and triggers must be exactly as the migrations create them, apart from the tables of Litestream. */
function ensureOwnSchema(database: DatabaseSync, name: string, version: number): void {
  using empty = createEmptyStore(version)
  const expected = new Map(schemaOf(empty).map(entry => [entry.name, entry]))
  const added: SchemaEntry[] = []
  for (const entry of schemaOf(database)) {
    const own = expected.get(entry.name)
    if (!own) added.push(entry)
    else if (own.sql !== entry.sql) throw damaged(name, `the ${entry.type} ${entry.name} was changed`)
    expected.delete(entry.name)
  }
  const [missing] = expected.values()
  if (missing) throw damaged(name, `the ${missing.type} ${missing.name} is missing`)
  const foreign = added.find(({ type, name: table }) => type !== 'table' || !isLitestreamTable(database, table))
  if (foreign) throw hasForeignPart(name, foreign)
}

/** Not damage: restoring a backup would lose data for no reason, and the backup may have the same part. */
function hasForeignPart(name: string, { type, name: part }: SchemaEntry): UserError {
  const statement = `DROP ${type.toUpperCase()} "${part.replaceAll('"', '""')}"`
  return conflict(
    `The store ${name} has a foreign ${type} (${part}), which another program created. Stop that program, and remove the ${type} with the SQL statement ${statement}.`,
  )
}

/** The schema, without SQLite's own tables and indexes. */
function schemaOf(database: DatabaseSync): SchemaEntry[] {
  const select = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
  return database.prepare(select).all() as unknown as SchemaEntry[]
}

/** The CHECK constraints. Those of our migrations are simple enough to be found in the SQL text. */
function constraintsOf(database: DatabaseSync): { table: string; condition: string }[] {
  const tables = schemaOf(database).filter(({ type }) => type === 'table')
  return tables.flatMap(({ name, sql }) =>
    [...sql.matchAll(CHECK)].map(([, condition]) => ({ table: name, condition: condition as string })),
  )
}

const CHECK = /\bCHECK \(((?:[^()]|\([^()]*\))*)\)/g

/** The tables that Litestream creates in each database that it replicates, with their columns (litestream.io, db.go). */
const TABLES: Readonly<Record<string, string>> = {
  _litestream_seq: 'id INTEGER, seq INTEGER',
  _litestream_lock: 'id INTEGER',
}

/** Whether a table of the database is one of Litestream's. It has no meaning in a store, and does no harm. */
function isLitestreamTable(database: DatabaseSync, table: string): boolean {
  const columns = database.prepare('SELECT name, type FROM pragma_table_info(?) ORDER BY cid').all(table)
  return TABLES[table] === columns.map(({ name, type }) => `${name} ${type}`).join(', ')
}
