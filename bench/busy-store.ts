import { randomBytes } from 'node:crypto'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { createToken } from '../src/domain/administration/tokens.ts'
import { COMMAND_LINE } from '../src/domain/audit.ts'
import { limitsOf, PLANS } from '../src/domain/plan.ts'
import { DAY_MS, HOUR_MS } from '../src/domain/time.ts'
import { NO_CALLS } from '../src/domain/usage.ts'
import { connect } from '../src/sqlite/connection.ts'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { animalOf, SECOND } from './animals.ts'
import { emptyFolder } from './stock.ts'

/** How much a store holds. */
export interface Size {
  animals: number
  accounts: number
  keys: number
  /** Keys that call every day, for a month. */
  busyKeys: number
  auditEntries: number
  bans: number
}

/** A temporary folder with a closed store, like that of a large shop after a year. */
export interface BusyStore extends Disposable {
  folder: string
  adminToken: string
}

const USAGE_DAYS = 30
const BATCH = 1_000

export async function createBusyStore(size: Size, now: number): Promise<BusyStore> {
  const folder = emptyFolder()
  const store = await SqliteStore.open(folder.path, 'production')
  const actor = { name: 'bench', origin: COMMAND_LINE }
  const { token } = await createToken({ store, deployment: 'production', actor, now }, { name: 'Anna', role: 'admin' })
  await store.close()
  const database = connect(databaseFile(folder.path))
  database.exec('BEGIN')
  insertAnimals(database, size.animals)
  insertAccounts(database, size, now)
  insertRecords(database, size, now)
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  await addUsage(folder.path, size, now)
  await indexAnimals(folder.path)
  return { folder: folder.path, adminToken: token, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

function insertAnimals(database: DatabaseSync, animals: number): void {
  const insert = inserter(
    database,
    `INSERT INTO pet (name, category_id, status, checksum, search_name)
     VALUES (?1, ?2, ?3, pet_checksum(?1, ?2, ?3), fold(?1))`,
  )
  for (let number = 1; number <= animals; number++) {
    const { name, categoryId, status } = animalOf(number)
    insert(name, categoryId, status)
  }
}

function insertAccounts(database: DatabaseSync, { accounts, keys }: Size, now: number): void {
  const insertAccount = inserter(
    database,
    `INSERT INTO account (name, name_key, plan, per_minute, per_day, created_at, suspended_at)
     VALUES (?1, name_key(?1), ?2, ?3, ?4, ?5, ?6)`,
  )
  for (let number = 1; number <= accounts; number++) {
    const plan = pick(PLANS, number)
    const { perMinute, perDay } = limitsOf(plan, plan === 'enterprise' ? { perMinute: 5_000, perDay: 1_000_000 } : {})
    const suspendedAt = number % 50 === 0 ? now - DAY_MS : null
    insertAccount(`Partner ${number} ${pick(SECOND, number)}`, plan, perMinute, perDay, now - DAY_MS, suspendedAt)
  }
  const insertKey = inserter(
    database,
    `INSERT INTO api_key (account_id, hash, hint, name, created_at, expires_at, revoked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  for (let number = 1; number <= keys; number++) {
    const expiresAt = number % 10 === 0 ? now + (number % 100) * DAY_MS : null
    const revokedAt = number % 20 === 0 ? now - DAY_MS : null
    const hash = randomBytes(32).toString('hex')
    insertKey((number % accounts) + 1, hash, hash.slice(-4), `key ${number}`, now - 40 * DAY_MS, expiresAt, revokedAt)
  }
}

function insertRecords(database: DatabaseSync, { auditEntries, bans }: Size, now: number): void {
  const insertEntry = inserter(
    database,
    `INSERT INTO audit (at, actor, token_id, origin, action, subject_id, account_id, details, before_values, after_values)
     VALUES (?, 'Anna (token 1)', 1, '192.0.2.7', 'pet.correct', ?, NULL, '{}', '{"status":"available"}', '{"status":"sold"}')`,
  )
  for (let number = 1; number <= auditEntries; number++)
    insertEntry(now - auditEntries * 60_000 + number * 60_000, number)
  const insertBan = inserter(database, 'INSERT INTO ban (key_id, started_at, ends_at, ordinal) VALUES (?, ?, ?, 1)')
  for (let key = 1; key <= bans; key++) insertBan(key, now - 60_000, now + (key % 2 === 0 ? DAY_MS : -30_000))
}

/** Does what a running service does in the background. */
async function indexAnimals(folder: string): Promise<void> {
  const store = await SqliteStore.open(folder, 'production')
  await store.indexPets({ minAnimals: 1, maxMs: Number.POSITIVE_INFINITY })
  await store.close()
}

/** Saves usage as a service does: every busy key calls in one hour of each day. */
async function addUsage(folder: string, { accounts, busyKeys }: Size, now: number): Promise<void> {
  const store = await SqliteStore.open(folder, 'production')
  const thisHour = Math.floor(now / HOUR_MS)
  for (let day = USAGE_DAYS - 1; day >= 0; day -= 1) {
    const hour = thisHour - day * 24
    const usage = Array.from({ length: busyKeys }, (_, index) => {
      const keyId = index + 1
      const operation = keyId % 100 === 0 ? 'getPet' : 'listPets'
      const of = {
        hour: hour - (keyId % 24),
        accountId: BigInt((keyId % accounts) + 1),
        keyId: BigInt(keyId),
        operation,
      }
      return { ...of, ...NO_CALLS, admitted: 900, refused: 3, status2xx: 880, status4xx: 20, lastAt: hour * HOUR_MS }
    })
    for (let from = 0; from < usage.length; from += BATCH) await store.addUsage(usage.slice(from, from + BATCH))
  }
  await store.close()
}

function inserter(database: DatabaseSync, sql: string): (...values: SQLInputValue[]) => void {
  const statement = database.prepare(sql)
  return (...values) => {
    statement.run(...values)
  }
}

function pick<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item
}
