import type { DatedRequest } from '../domain/idempotency.ts'
import type { NewPet } from '../domain/pet.ts'
import type { AccountCounts } from '../domain/store/accounts.ts'
import type { Creation } from '../domain/store/animals.ts'
import type { KeyUsage } from '../domain/usage.ts'
import { type TermValues, WRITER } from '../sql/callers.ts'
import { COUNT_COLUMNS, countValues } from '../sql/counts.ts'
import { DELETED_AT_ONCE, expiredRows } from '../sql/expiry.ts'
import { petOf } from '../sql/pets.ts'
import type { Row } from '../sql/statement.ts'
import { addToRow, lastUses, NEWER_LAST_AT, USAGE_TABLES, usageRows } from '../sql/usage.ts'
import { run, type Write } from '../sql/write.ts'
import { buildWrites } from '../sql/writes.ts'
import { hasTerms, insertPermittedPet, insertPet, SQLITE } from './dialect.ts'

/** Every write of the store, by name. They run on the writer's thread; several writes share a transaction. */
export const WRITES = {
  ...buildWrites(SQLITE),

  createPet: insertPet,
  createPermittedPet: insertPermittedPet,
  *createPetOnce(
    pet: NewPet,
    now: number,
    { accountId, key, fingerprint, since }: DatedRequest,
    terms?: TermValues,
  ): Write<Creation> {
    const [earlier] = terms
      ? yield* run<CreationRow>(FIND_PERMITTED_CREATION, accountId, key, since, ...terms)
      : yield* run<CreationRow>(FIND_CREATION, accountId, key, since)
    if (terms && !earlier) return { outcome: 'not_permitted' }
    if (earlier?.fingerprint && earlier.fingerprint !== fingerprint) return { outcome: 'mismatch' }
    if (earlier?.fingerprint) return { outcome: 'replayed', pet: petOf(earlier) }
    const { name, categoryId, status } = pet
    const id = yield* insertPet(name, categoryId, status)
    yield* run(REMEMBER_CREATION, accountId, key, fingerprint, now, id, name, categoryId, status)
    return { outcome: 'created', pet: { id, name, categoryId, status } }
  },
  *saveCounts(accounts: readonly AccountCounts[]): Write<void> {
    for (const account of accounts) yield* run(SAVE_COUNTS, ...countValues(account))
  },
  *addUsage(usage: readonly KeyUsage[]): Write<void> {
    for (const { table, sql } of ADD_USAGE) {
      for (const row of usageRows(table, usage)) yield* run(sql, ...row)
    }
    for (const [keyId, lastAt] of lastUses(usage)) yield* run(SAVE_LAST_USE, keyId, lastAt)
  },
  /** Returns whether there may be more to delete. */
  *deleteExpired(now: number, firstUsageDay: number): Write<boolean> {
    let mayHaveMore = false
    for (const { table, key, condition, value } of expiredRows(now, firstUsageDay)) {
      const names = key.join(', ')
      const chosen = `SELECT ${names} FROM ${table} WHERE ${condition} LIMIT ${DELETED_AT_ONCE}`
      const [deleted] = yield* run(`DELETE FROM ${table} WHERE (${names}) IN (${chosen})`, value)
      mayHaveMore ||= deleted?.changes === BigInt(DELETED_AT_ONCE)
    }
    return mayHaveMore
  },
  /** Acquires the lock that every write needs. Nothing goes to the disk: SQLite does not write pages whose content does not change. */
  *touch(): Write<void> {
    yield* run('UPDATE store SET deployment = deployment')
  },
  /** Goes to the disk: SQLite writes a changed page even if the change is reverted. */
  *probe(): Write<void> {
    for (const sign of ['+', '-']) yield* run(`UPDATE revision SET corrections = corrections ${sign} 1`)
  },
}

export type SqliteWrites = typeof WRITES

/** One write, as sent to the writer's thread: its name and its arguments. */
export type WriteCall = [name: keyof SqliteWrites, ...args: unknown[]]

interface CreationRow extends Row {
  /** Null if the caller may write, but has not created anything with this request. */
  fingerprint: string | null
}

const CREATION = 'SELECT fingerprint, pet_id AS id, done.name, category_id, status'
const IS_SAME_REQUEST = 'done.account_id = ?1 AND key = ?2 AND done.created_at > ?3'

const FIND_CREATION = `${CREATION} FROM idempotent_creation AS done WHERE ${IS_SAME_REQUEST}`

/** Has no row if the caller may not write on these terms. */
const FIND_PERMITTED_CREATION = `${CREATION} FROM (SELECT 1 ${WRITER} AND ${hasTerms('?4', '?5', '?6')})
  LEFT JOIN idempotent_creation AS done ON ${IS_SAME_REQUEST}`

const REMEMBER_CREATION = `INSERT OR REPLACE INTO idempotent_creation
  (account_id, key, fingerprint, created_at, pet_id, name, category_id, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

/** Writes nothing for an account that no longer exists. */
const SAVE_COUNTS = `INSERT OR REPLACE INTO account_count (${COUNT_COLUMNS.join(', ')})
  SELECT id, ?2, ?3, ?4, ?5 FROM account WHERE id = ?1`

const ADD_USAGE = USAGE_TABLES.map(table => ({
  table,
  sql: `INSERT INTO ${table.name} AS had (${table.columns.join(', ')})
    VALUES (${table.columns.map(() => '?').join(', ')}) ${addToRow(table)}`,
}))

/** Writes nothing for a key that no longer exists. */
const SAVE_LAST_USE = `INSERT INTO key_use AS had (key_id, last_at) SELECT id, ?2 FROM api_key WHERE id = ?1
  ON CONFLICT (key_id) DO UPDATE SET ${NEWER_LAST_AT}`
