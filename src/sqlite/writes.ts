import type { DatedRequest } from '../domain/idempotency.ts'
import type { NewPet } from '../domain/pet.ts'
import type { RefusedCall } from '../domain/refusals.ts'
import type { AccountCounts } from '../domain/store/accounts.ts'
import type { Creation } from '../domain/store/animals.ts'
import type { KeyUsage } from '../domain/usage.ts'
import { type TermValues, WRITER } from '../sql/callers.ts'
import { COUNT_COLUMNS, countValues } from '../sql/counts.ts'
import { DELETED_AT_ONCE, expiredRows } from '../sql/expiry.ts'
import { stepsOfWrites } from '../sql/operations.ts'
import { COLUMNS, columnValues, eachColumn } from '../sql/pet-columns.ts'
import { petOf } from '../sql/pets.ts'
import { newestToDelete, REFUSAL_COLUMNS, refusalValues } from '../sql/refusals.ts'
import type { Row, Value } from '../sql/statement.ts'
import { addToRow, KEEP_NEWER_ORIGIN, lastUses, NEWER_LAST_AT, USAGE_TABLES, usageRows } from '../sql/usage.ts'
import { run, type Write } from '../sql/write.ts'
import { insertPet } from './dialect.ts'
import { OPERATIONS } from './operations.ts'

/** Every write of the store, by name. They run on the writer's thread; several writes share a transaction. */
export const WRITES = {
  ...stepsOfWrites(OPERATIONS),

  /** Undefined if the caller may not write on these terms. */
  *createPet(values: readonly Value[], terms?: TermValues): Write<bigint | undefined> {
    return terms && !(yield* mayWrite(terms)) ? undefined : yield* insertPet(values)
  },
  *createPetOnce(
    pet: NewPet,
    now: number,
    { accountId, key, fingerprint, since }: DatedRequest,
    terms?: TermValues,
  ): Write<Creation> {
    if (terms && !(yield* mayWrite(terms))) return { outcome: 'not_permitted' }
    const [earlier] = yield* run<CreationRow>(FIND_CREATION, accountId, key, since)
    if (earlier && earlier.fingerprint !== fingerprint) return { outcome: 'mismatch' }
    if (earlier) return { outcome: 'replayed', pet: petOf(earlier) }
    const values = columnValues(pet)
    const id = yield* insertPet(values)
    yield* run(REMEMBER_CREATION, accountId, key, fingerprint, now, id, ...values)
    return { outcome: 'created', pet: { ...pet, id } }
  },
  *saveCounts(accounts: readonly AccountCounts[]): Write<void> {
    for (const account of accounts) yield* run(SAVE_COUNTS, ...countValues(account))
  },
  *addUsage(usage: readonly KeyUsage[]): Write<void> {
    for (const { table, sql } of ADD_USAGE) {
      for (const row of usageRows(table, usage)) yield* run(sql, ...row)
    }
    for (const { keyId, lastAt, lastFrom } of lastUses(usage)) {
      yield* run(SAVE_LAST_USE, keyId, lastAt)
      if (lastFrom !== undefined) yield* run(SAVE_ORIGIN, keyId, lastAt, lastFrom)
    }
  },
  *addRefusals(calls: readonly RefusedCall[]): Write<void> {
    for (const call of calls) yield* run(ADD_REFUSAL, ...refusalValues(call))
    for (const keyId of new Set(calls.map(call => call.keyId))) yield* run(DELETE_OLDER_REFUSALS, keyId)
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
export type WriteArgs<Name extends keyof SqliteWrites> = Parameters<SqliteWrites[Name]>
export type WriteResult<Name extends keyof SqliteWrites> =
  ReturnType<SqliteWrites[Name]> extends Write<infer Result> ? Result : never

export type WriteCall = [name: keyof SqliteWrites, ...args: unknown[]]

/** The writes that add animals, and change nothing else that they read. */
export const CREATIONS: ReadonlySet<keyof SqliteWrites> = new Set(['createPet', 'createPetOnce'] as const)

function* mayWrite(terms: TermValues): Write<boolean> {
  return (yield { sql: MAY_WRITE, values: terms }).length > 0
}

/** Has a row if the caller may write on these terms. Its rows stay the same until a caller changes. */
export const MAY_WRITE = `SELECT 1 ${WRITER} AND api_key.id = ? AND networks IS ? AND expires_at IS ?`

interface CreationRow extends Row {
  fingerprint: string
}

const FIND_CREATION = `SELECT fingerprint, pet_id AS id, ${COLUMNS} FROM idempotent_creation
  WHERE account_id = ? AND key = ? AND created_at > ?`

const REMEMBER_CREATION = `INSERT OR REPLACE INTO idempotent_creation
  (account_id, key, fingerprint, created_at, pet_id, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ${eachColumn(() => '?')})`

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

const SAVE_ORIGIN = `INSERT INTO key_origin AS had (key_id, last_at, last_from) SELECT id, ?2, ?3 FROM api_key WHERE id = ?1
  ${KEEP_NEWER_ORIGIN}`

/** Writes nothing for a key that no longer exists. */
const ADD_REFUSAL = `INSERT INTO refusal (${REFUSAL_COLUMNS.join(', ')})
  SELECT id${REFUSAL_COLUMNS.slice(1)
    .map((_, index) => `, ?${index + 2}`)
    .join('')} FROM api_key WHERE id = ?1 ON CONFLICT DO NOTHING`

const DELETE_OLDER_REFUSALS = `DELETE FROM refusal WHERE key_id = ?1 AND (called_at, sequence) <= (${newestToDelete('?1')})`
