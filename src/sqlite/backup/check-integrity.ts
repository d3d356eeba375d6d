import type { DatabaseSync } from 'node:sqlite'
import { damaged } from '../sqlite-errors.ts'
import { createEmptyStore } from '../store-version.ts'

/**
 * Checks a whole store, which takes time: its schema, its pages and indexes, its constraints and its checksums.
 * @param name of the file, for messages
 * @throws DamagedStore with the finding
 */
export function ensureSound(database: DatabaseSync, name: string, version: number): void {
  ensureOwnSchema(database, name, version)
  const [finding] = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
  if (finding?.integrity_check !== 'ok')
    throw damaged(name, finding?.integrity_check.replaceAll('\n', ' ') ?? 'no answer')
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
  const changed = database
    .prepare('SELECT id FROM pet WHERE checksum <> pet_checksum(name, category_id, status) LIMIT 1')
    .get() as { id: bigint } | undefined
  if (changed) throw damaged(name, `animal ${changed.id} is not as it was stored`)
}

/** An object in a schema, and the statement that creates it. */
interface SchemaEntry {
  type: string
  name: string
  sql: string
}

/** Tables, columns, indexes and triggers must be exactly as the migrations create them. */
function ensureOwnSchema(database: DatabaseSync, name: string, version: number): void {
  using empty = createEmptyStore(version)
  const expected = new Map(schemaOf(empty).map(entry => [entry.name, entry]))
  for (const { type, name: part, sql } of schemaOf(database)) {
    const own = expected.get(part)
    if (!own) throw damaged(name, `the ${type} ${part} does not belong to a store`)
    if (own.type !== type || own.sql !== sql) throw damaged(name, `the ${type} ${part} was changed`)
    expected.delete(part)
  }
  const [missing] = expected.values()
  if (missing) throw damaged(name, `the ${missing.type} ${missing.name} is missing`)
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
