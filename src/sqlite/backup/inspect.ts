import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Deployment } from '../../domain/deployment.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import type { Source } from '../../domain/source.ts'
import { findFile } from '../../files/find-file.ts'
import { isIndexRight } from '../../sql/pet-check.ts'
import { sourcesFound } from '../../sql/sources.ts'
import { MAKER, type StoreFacts } from '../../sql/store-facts.ts'
import { type Read, read as toRead } from '../../sql/write.ts'
import { addFunctions, BUSY_TIMEOUT_MS } from '../connection.ts'
import { ensureLastStore, type StoreState, stateOf } from '../data-folder/last-store.ts'
import { ensureNotMoved } from '../data-folder/moved-marker.ts'
import { databaseFile, logFile } from '../data-folder/store-files.ts'
import { ensureWholeLog } from '../data-folder/whole-log.ts'
import { SQLITE } from '../dialect.ts'
import { DamagedStore, toUserError } from '../sqlite-errors.ts'
import { Statements } from '../statements.ts'
import { notAStore, readVersion } from '../store-version.ts'
import { ensureSound } from './check-integrity.ts'

export interface Holdings extends StoreFacts {
  counts: Counts
}

export type Counts = Record<keyof typeof COUNTED, number>

/** The table that each count is from; an older version may not have it. */
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

/** Columns with times in the past. */
const TIMES = [
  ['account', 'created_at'],
  ['api_key', 'created_at'],
  ['ban', 'started_at'],
  ['idempotent_creation', 'created_at'],
  ['deprecated_use', 'last_at'],
  ['operator_token', 'created_at'],
  ['audit', 'at'],
  ['usage', 'last_at'],
  ['key_use', 'last_at'],
] as const

type Identity = Pick<Holdings, 'deployment' | 'version'>

/**
 * Checks the store in a folder completely, and that it is the one that was last used there. Changes nothing.
 * @returns undefined if there is none yet
 * @throws UserError when the store cannot be read, or must not be used
 */
export function inspectFolder(folder: string, now: number): Holdings | undefined {
  ensureNotMoved(folder)
  ensureWholeLog(folder)
  const file = databaseFile(folder)
  // First, because only a store with the right tables has a state.
  const holdings = findFile(file) && inspectStore(file, now)
  ensureLastStore(file, () => holdings && readState(file))
  return holdings
}

/**
 * Checks a store's file completely and counts its contents, from one snapshot. Changes nothing and leaves no file behind.
 * @param name of the file, for messages
 * @throws UserError when the file is missing, damaged, unreadable, not a store, or a store of a newer version
 */
export function inspectStore(file: string, now: number, name = file): Holdings {
  const inspect = () => readSound(file, name, database => ({ ...identify(database, name), ...count(database, now) }))
  try {
    return inspect()
  } catch (error) {
    // It was read as a file without writers, but a process may have started to write to it in the meantime.
    if (error instanceof DamagedStore) return inspect()
    throw error
  }
}

/** Checks a file that no process writes to, as completely. */
export function ensureSoundStore(file: string, name: string): void {
  readSound(file, name, () => {})
}

/** Checks the store before anything else reads it, because that relies on the right tables. */
function readSound<Result>(file: string, name: string, work: (database: DatabaseSync) => Result): Result {
  return read(file, name, database => {
    ensureSound(database, name, readVersion(database, name))
    return work(database)
  })
}

/**
 * Identifies the store in a file, without checking all of it. Changes nothing and leaves no file behind.
 * @throws UserError when the file is missing, unreadable, not a store, or a store of a newer version
 */
export function identifyStore(file: string): Identity {
  return read(file, file, database => identify(database, file))
}

/** Reads the state of a store, to recognize it later. Identifies it first, so that a file that is not a store causes a clear error. */
export function readState(file: string): StoreState {
  return read(file, file, database => {
    identify(database, file)
    return stateOf(database)
  })
}

/** Whether the counts and the index of a store agree with its animals. A store of an older version has none. */
export function hasRightIndex(file: string): boolean {
  return ask(file, SINCE.index, toRead(isIndexRight(SQLITE)), true)
}

/** The sources of a store. A store of an older version has none. */
export function readSources(file: string): Source[] {
  return ask(file, SINCE.sources, sourcesFound({}), [])
}

/** Who made the store in a folder; that of a store from before the audit log is unknown. */
export function readMaker(folder: string): string | null {
  ensureWholeLog(folder)
  return ask(databaseFile(folder), SINCE.audit, toRead(MAKER), '')
}

/** The versions whose migrations added them. */
const SINCE = { audit: 2, index: 6, sources: 14 }

/** @param older the answer for a store from before this version */
function ask<Result>(file: string, since: number, steps: Read<Result>, older: Result): Result {
  return read(file, file, database =>
    readVersion(database, file) < since ? older : new Statements(database).carryOut(steps),
  )
}

function read<Result>(file: string, name: string, work: (database: DatabaseSync) => Result): Result {
  ensureIsFile(file)
  try {
    using database = openReadOnly(file)
    database.exec('BEGIN')
    return work(database)
  } catch (error) {
    throw toUserError(name, error)
  }
}

function ensureIsFile(file: string): void {
  const found = findFile(file)
  if (!found) throw notFound(`There is no file ${file}.`)
  if (!found.isFile()) throw notAStore(file)
}

function identify(database: DatabaseSync, name: string): Identity {
  const version = readVersion(database, name)
  if (version === 0) throw notAStore(name)
  const store = database.prepare('SELECT deployment FROM store').get() as { deployment: Deployment } | undefined
  if (!store) throw conflict(`The store ${name} does not record its deployment.`)
  return { deployment: store.deployment, version }
}

/** Opens a file without changing it, and without creating a file next to it. */
export function openReadOnly(file: string): DatabaseSync {
  return addFunctions(new DatabaseSync(readOnlyUrl(file), { timeout: BUSY_TIMEOUT_MS, readBigInts: true }))
}

/**
 * A file without a log has no writers. If it is opened as immutable, reading it creates no log either, so it may be on read-only media.
 */
export function readOnlyUrl(file: string): URL {
  const url = pathToFileURL(resolve(file))
  url.search = existsSync(logFile(file)) || existsSync(`${file}-journal`) ? 'mode=ro' : 'immutable=1'
  return url
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
    clockConfirmedAt: findConfirmedAt(database),
    newestTime: times.length === 0 ? undefined : Math.max(...times.map(Number)),
  }
}

/** A store of an older version has none. */
function findConfirmedAt(database: DatabaseSync): number | undefined {
  const { clock_confirmed_at: time = null } = database.prepare('SELECT * FROM store').get() ?? {}
  return time === null ? undefined : Number(time)
}

const USABLE_ADMIN_TOKENS = `SELECT count(*) AS value FROM operator_token
  WHERE role = 'admin' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`
