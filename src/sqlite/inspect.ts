import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { findFile } from './find-file.ts'
import { notAStore, readVersion } from './format.ts'
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
      ensureSound(database, name)
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

function read<Result>(
  file: string,
  name: string,
  work: (database: DatabaseSync, identity: Identity) => Result,
): Result {
  ensureIsFile(file)
  try {
    const database = new DatabaseSync(readingUrl(file), { timeout: BUSY_TIMEOUT_MS, readBigInts: true })
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
  url.search = existsSync(`${file}-wal`) || existsSync(`${file}-journal`) ? 'mode=ro' : 'immutable=1'
  return url
}

function ensureSound(database: DatabaseSync, file: string): void {
  const [finding] = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
  if (finding?.integrity_check !== 'ok')
    throw damaged(file, finding?.integrity_check.replaceAll('\n', ' ') ?? 'no answer')
  const orphan = database.prepare('PRAGMA foreign_key_check').get() as { table: string; parent: string } | undefined
  if (orphan) throw damaged(file, `a row of ${orphan.table} refers to one of ${orphan.parent} that is not there`)
}

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
