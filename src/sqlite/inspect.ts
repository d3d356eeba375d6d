import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { addChecksumFunction } from './checksum-function.ts'
import { findFile } from './find-file.ts'
import { listMigrations, notAStore, readMigration, readVersion } from './format.ts'
import { logFile } from './identity.ts'
import { type StoreState, stateOf } from './known-store.ts'
import { DamagedStore, damaged, mistakeOf } from './mistakes.ts'

/** What a store's file holds. */
export interface Holdings {
  deployment: Deployment
  /** How many migrations it has seen. */
  version: number
  counts: Counts
  /** The highest id that an animal was ever given, 0 if none was. */
  newestPetId: bigint
  /** Administrators' tokens that let their holders in now. */
  usableAdminTokens: number
  /** The newest time that is written down anywhere, in Unix milliseconds. */
  newestTime: number | undefined
}

export type Counts = Record<keyof typeof COUNTED, number>

/** What is counted, and in which table: an older version may lack it. */
const COUNTED = {
  animals: 'pet',
  accounts: 'account',
  keys: 'api_key',
  bans: 'ban',
  operatorTokens: 'operator_token',
  sessions: 'session',
  auditEntries: 'audit',
  usageRecords: 'usage',
  idempotencyKeys: 'idempotent_creation',
} as const

/** Where times in the past stand. */
const TIMES = [
  ['account', 'created_at'],
  ['api_key', 'created_at'],
  ['ban', 'started_at'],
  ['idempotent_creation', 'created_at'],
  ['deprecated_use', 'last_at'],
  ['operator_token', 'created_at'],
  ['audit', 'at'],
  ['usage', 'last_at'],
] as const

const BUSY_TIMEOUT_MS = 5_000

/** To whom a store belongs, and how old it is. */
type Identity = Pick<Holdings, 'deployment' | 'version'>

/**
 * Opens a store's file, checks all of it, and counts what is in it, as of one moment. Changes nothing and leaves nothing beside it.
 * @param name what a person knows the file by
 * @throws Mistake when there is no such file, or it is no store, of a newer version, damaged or unreadable
 */
export function inspectStore(file: string, now: number, name = file): Holdings {
  const inspect = () =>
    read(file, name, (database, identity) => {
      ensureSound(database, name, identity.version)
      return { ...identity, ...count(database, now) }
    })
  try {
    return inspect()
  } catch (error) {
    // Somebody may have begun to write while it was read as a file that nobody writes.
    if (error instanceof DamagedStore) return inspect()
    throw error
  }
}

/**
 * Reads of a store's file no more than what it is. Changes nothing and leaves nothing beside it.
 * @throws Mistake when there is no such file, or it is no store, of a newer version or unreadable
 */
export function identifyStore(file: string): Identity {
  return read(file, file, (_database, identity) => identity)
}

/** The same, of which store it is, and how far it has come. */
export function readState(file: string): StoreState {
  return read(file, file, stateOf)
}

function read<Result>(
  file: string,
  name: string,
  work: (database: DatabaseSync, identity: Identity) => Result,
): Result {
  ensureIsFile(file)
  try {
    const database = addChecksumFunction(
      new DatabaseSync(readingUrl(file), { timeout: BUSY_TIMEOUT_MS, readBigInts: true }),
    )
    try {
      database.exec('BEGIN')
      return work(database, identify(database, name))
    } finally {
      database.close()
    }
  } catch (error) {
    throw mistakeOf(name, error)
  }
}

function ensureIsFile(file: string): void {
  const found = findFile(file)
  if (!found) throw new Mistake('not_found', `There is no file ${file}.`)
  if (!found.isFile()) throw notAStore(file)
}

function identify(database: DatabaseSync, name: string): Identity {
  const version = readVersion(database, name)
  if (version === 0) throw notAStore(name)
  const store = database.prepare('SELECT deployment FROM store').get() as { deployment: Deployment } | undefined
  if (!store) throw new Mistake('conflict', `The store ${name} does not say to which deployment it belongs.`)
  return { deployment: store.deployment, version }
}

/**
 * Where SQLite opens a file for reading alone. Without a log beside it, nobody is writing it: opened as immutable, it gets none,
 * and may be on a medium that cannot be written.
 */
export function readingUrl(file: string): URL {
  const url = pathToFileURL(resolve(file))
  url.search = existsSync(logFile(file)) || existsSync(`${file}-journal`) ? 'mode=ro' : 'immutable=1'
  return url
}

/**
 * Makes sure that a service does not start on a file that was cut short. Where it ends before its last page, which may be in the
 * log after a crash, all of it is checked.
 * @throws Mistake when it was cut short, or cannot be read
 */
export function ensureWhole(file: string): void {
  const size = findFile(file)?.size ?? 0
  if (size === 0) return
  try {
    const database = addChecksumFunction(new DatabaseSync(readingUrl(file), { timeout: BUSY_TIMEOUT_MS }))
    try {
      const { bytes } = database
        .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
        .get() as { bytes: number }
      if (bytes <= size) return
      const { quick_check: finding } = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string }
      if (finding !== 'ok') throw damaged(file, finding)
    } finally {
      database.close()
    }
  } catch (error) {
    const mistake = mistakeOf(file, error)
    if (!(mistake instanceof DamagedStore)) throw mistake
    throw new Mistake('conflict', `${mistake.message} It may have been cut short; restore a backup.`)
  }
}

function ensureSound(database: DatabaseSync, file: string, version: number): void {
  ensureOwnSchema(database, file, version)
  const [finding] = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
  if (finding?.integrity_check !== 'ok')
    throw damaged(file, finding?.integrity_check.replaceAll('\n', ' ') ?? 'no answer')
  const orphan = database.prepare('PRAGMA foreign_key_check').get() as { table: string; parent: string } | undefined
  if (orphan) throw damaged(file, `a row of ${orphan.table} refers to one of ${orphan.parent} that is not there`)
  // A connection that only reads leaves the constraints out of its integrity check.
  for (const { table, condition } of constraintsOf(database)) {
    const broken = database.prepare(`SELECT 1 FROM ${table} WHERE NOT (${condition}) LIMIT 1`).get()
    if (broken) throw damaged(file, `a row of ${table} breaks the rule ${condition}`)
  }
  if (version >= CHECKSUMS_SINCE) ensureChecksums(database, file)
}

/** The version whose migration added checksums. */
const CHECKSUMS_SINCE = 3

function ensureChecksums(database: DatabaseSync, file: string): void {
  const changed = database
    .prepare('SELECT id FROM pet WHERE checksum <> pet_checksum(name, category_id, status) LIMIT 1')
    .get() as { id: bigint } | undefined
  if (changed) throw damaged(file, `animal ${changed.id} is not as it was stored`)
}

/** One thing of a schema, and the statement that makes it. */
interface SchemaEntry {
  type: string
  name: string
  sql: string
}

/** Tables, columns, indexes and triggers must be as the migrations make them, with nothing else beside them. */
function ensureOwnSchema(database: DatabaseSync, file: string, version: number): void {
  const expected = new Map(expectedSchema(version).map(entry => [entry.name, entry]))
  for (const { type, name, sql } of schemaOf(database)) {
    const own = expected.get(name)
    if (!own) throw damaged(file, `the ${type} ${name} is not a part of a store`)
    if (own.type !== type || own.sql !== sql) throw damaged(file, `the ${type} ${name} was changed`)
    expected.delete(name)
  }
  const [missing] = expected.values()
  if (missing) throw damaged(file, `the ${missing.type} ${missing.name} is missing`)
}

function expectedSchema(version: number): SchemaEntry[] {
  const database = addChecksumFunction(new DatabaseSync(':memory:'))
  try {
    for (const name of listMigrations().slice(0, version)) database.exec(readMigration(name))
    return schemaOf(database)
  } finally {
    database.close()
  }
}

/** SQLite's own tables and indexes are left out. */
function schemaOf(database: DatabaseSync): SchemaEntry[] {
  const select = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
  return database.prepare(select).all() as unknown as SchemaEntry[]
}

/** The CHECK constraints, which are simple enough in all migrations for their text to be found. */
function constraintsOf(database: DatabaseSync): { table: string; condition: string }[] {
  const tables = schemaOf(database).filter(({ type }) => type === 'table')
  return tables.flatMap(({ name, sql }) =>
    [...sql.matchAll(CHECK)].map(([, condition]) => ({ table: name, condition: condition as string })),
  )
}

const CHECK = /\bCHECK \(((?:[^()]|\([^()]*\))*)\)/g

function count(database: DatabaseSync, now: number): Omit<Holdings, keyof Identity> {
  const get = (sql: string, ...values: number[]) => database.prepare(sql).get(...values) as { value: bigint | null }
  const tables = new Set(
    database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => name),
  )
  const countRows = (table: string) =>
    tables.has(table) ? Number(get(`SELECT count(*) AS value FROM ${table}`).value) : 0
  const times = TIMES.filter(([table]) => tables.has(table))
    .map(([table, column]) => get(`SELECT max(${column}) AS value FROM ${table}`).value)
    .filter(time => time !== null)
  return {
    counts: Object.fromEntries(Object.entries(COUNTED).map(([what, table]) => [what, countRows(table)])) as Counts,
    newestPetId: get("SELECT max(seq) AS value FROM sqlite_sequence WHERE name = 'pet'").value ?? 0n,
    usableAdminTokens: tables.has('operator_token') ? Number(get(USABLE_ADMIN_TOKENS, now).value) : 0,
    newestTime: times.length === 0 ? undefined : Math.max(...times.map(Number)),
  }
}

const USABLE_ADMIN_TOKENS = `SELECT count(*) AS value FROM operator_token
  WHERE role = 'admin' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`
