import type { Account, Caller } from '../domain/account.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { AuditEntry, AuditQuery } from '../domain/audit.ts'
import type { Ban } from '../domain/ban.ts'
import { StoreDamaged } from '../domain/errors.ts'
import type { OperatorToken } from '../domain/operator.ts'
import type { Pet } from '../domain/pet.ts'
import type { Counts } from '../domain/rate-limiter.ts'
import type { Session } from '../domain/session.ts'
import type { AccountCounts, BanQuery, Page, PetPage, PetQuery, PetSearch } from '../domain/store.ts'
import type { UsageDimension, UsageQuery, UsageSum } from '../domain/usage.ts'
import { conditions } from './conditions.ts'
import {
  type AccountRow,
  type AuditRow,
  accountOf,
  auditEntryOf,
  type BanRow,
  banOf,
  type CallerRow,
  type CountsRow,
  callerOf,
  countsOf,
  type KeyRow,
  keyOf,
  type PetRow,
  petOf,
  type TokenRow,
  tokenOf,
  type UsageRow,
  usageSumOf,
} from './rows.ts'
import { ACCOUNT, AUDIT, BAN, CALLER, COUNTS, KEY, PET, TOKEN } from './selections.ts'

/** What every store of SQL reads, in words that all of them have: the statement, and what its rows say. */
export interface Query<Result> {
  /** With a question mark for each of the values. */
  sql: string
  values: Value[]
  resultOf(rows: unknown[]): Result
}

export type Value = string | number | bigint

/** @param pet what is read of an animal */
export function petsBehind({ status, afterId, limit }: PetQuery, pet = PET): Query<PetPage> {
  if (!status) return petPage(`${pet} WHERE id > ? ORDER BY id LIMIT ?`, [afterId], { status, afterId, limit })
  // The rows are read by their ids: SQLite would take the status from the index, and could not notice that the two differ.
  const found = 'SELECT id FROM pet WHERE status = ? AND id > ? ORDER BY id LIMIT ?'
  return petPage(`${pet} WHERE id IN (${found}) ORDER BY id`, [status, afterId], { status, afterId, limit })
}

/** The store's own `has_part` and `fold` compare names in whatever case and normal form. */
export function petsFound({ name, status, categoryId, id, afterId, limit }: PetSearch, pet = PET): Query<PetPage> {
  const { where, values } = conditions<Value>([
    ['id > ?', afterId],
    ['id = ?', id],
    ['status = ?', status],
    ['category_id = ?', categoryId],
    ['has_part(name, fold(?))', name],
  ])
  return petPage(`${pet} ${where} ORDER BY id LIMIT ?`, values, { status, afterId, limit })
}

export function petById(id: bigint, pet = PET): Query<Pet | undefined> {
  return first<PetRow, Pet>(`${pet} WHERE id = ?`, [id], petOf)
}

export function callerByHash(hash: string): Query<Caller | undefined> {
  return first<CallerRow, Caller>(
    `${CALLER} WHERE api_key.id = (SELECT id FROM api_key WHERE hash = ?)`,
    [hash],
    row => {
      // An index that is damaged leads to another key.
      if (row.hash !== hash) throw new StoreDamaged('The index of keys leads to another key.')
      return callerOf(row)
    },
  )
}

/** The hashes of keys, by ascending id. */
export function keyHashesBehind({ afterId, limit }: Page): Query<KeyHash[]> {
  const sql = 'SELECT id, hash FROM api_key WHERE id > ? ORDER BY id LIMIT ?'
  return all<KeyHash, KeyHash>(sql, [afterId, limit], ({ id, hash }) => ({ id, hash }))
}

interface KeyHash {
  id: bigint
  hash: string
}

export function accountsBehind({ afterId, limit }: Page): Query<Account[]> {
  return all<AccountRow, Account>(
    `${ACCOUNT} WHERE account.id > ? ORDER BY account.id LIMIT ?`,
    [afterId, limit],
    accountOf,
  )
}

export function accountById(id: bigint): Query<Account | undefined> {
  return first(`${ACCOUNT} WHERE account.id = ?`, [id], accountOf)
}

export function accountByName(name: string): Query<Account | undefined> {
  return first(`${ACCOUNT} WHERE account.name = ?`, [name], accountOf)
}

export function keysBehind(accountId: bigint | undefined, { afterId, limit }: Page): Query<ApiKey[]> {
  const { where, values } = conditions<Value>([
    ['account_id = ?', accountId],
    ['api_key.id > ?', afterId],
  ])
  return all<KeyRow, ApiKey>(`${KEY} ${where} ORDER BY api_key.id LIMIT ?`, [...values, limit], keyOf)
}

export function keyById(id: bigint): Query<ApiKey | undefined> {
  return first(`${KEY} WHERE api_key.id = ?`, [id], keyOf)
}

export function newestBans({ inForceAt, beforeId, limit = Number.MAX_SAFE_INTEGER }: BanQuery): Query<Ban[]> {
  const { where, values } = conditions<Value>([
    ['coalesce(lifted_at, ends_at) > ?', inForceAt],
    ['id < ?', beforeId],
  ])
  const isNewest = 'NOT EXISTS (SELECT 1 FROM ban AS newer WHERE newer.key_id = ban.key_id AND newer.id > ban.id)'
  return all<BanRow, Ban>(
    `${BAN} ${where ? `${where} AND` : 'WHERE'} ${isNewest} ORDER BY id DESC LIMIT ?`,
    [...values, limit],
    banOf,
  )
}

export function newestBanOf(keyId: bigint): Query<Ban | undefined> {
  return first(`${BAN} WHERE key_id = ? ORDER BY id DESC LIMIT 1`, [keyId], banOf)
}

export function countsAfter(now: number): Query<AccountCounts[]> {
  return all<CountsRow, AccountCounts>(
    `${COUNTS} WHERE minute_resets_at > ? OR day_resets_at > ?`,
    [now, now],
    countsOf,
  )
}

export function countsOfAccount(accountId: bigint): Query<Counts> {
  const saved = first<CountsRow, AccountCounts>(`${COUNTS} WHERE account_id = ?`, [accountId], countsOf)
  return { ...saved, resultOf: rows => saved.resultOf(rows)?.counts ?? {} }
}

export function tokens(): Query<OperatorToken[]> {
  return all<TokenRow, OperatorToken>(`${TOKEN} ORDER BY id`, [], tokenOf)
}

export function tokenByHash(hash: string): Query<OperatorToken | undefined> {
  return first(`${TOKEN} WHERE hash = ?`, [hash], tokenOf)
}

interface SessionRow extends TokenRow {
  session_expires_at: bigint
}

export function sessionByHash(hash: string): Query<Session | undefined> {
  return first<SessionRow, Session>(
    `SELECT id, name, role, hint, created_at, operator_token.expires_at, revoked_at, session.expires_at AS session_expires_at
     FROM session JOIN operator_token ON operator_token.id = token_id WHERE session.hash = ?`,
    [hash],
    row => ({ token: tokenOf(row), expiresAt: Number(row.session_expires_at) }),
  )
}

export function auditEntries({ accountId, action, beforeId, limit }: AuditQuery): Query<AuditEntry[]> {
  const { where, values } = conditions<Value>([
    ['account_id = ?', accountId],
    ['action = ?', action],
    ['id < ?', beforeId],
  ])
  return all<AuditRow, AuditEntry>(`${AUDIT} ${where} ORDER BY id DESC LIMIT ?`, [...values, limit], auditEntryOf)
}

/** What each dimension shows in a sum, and where it comes from. */
const DIMENSIONS: Record<UsageDimension, { columns: string; key: string }> = {
  day: { columns: 'day', key: 'day' },
  account: {
    columns: 'account_id, (SELECT name FROM account WHERE id = account_id) AS account_name',
    key: 'account_id',
  },
  key: { columns: 'key_id, (SELECT name FROM api_key WHERE id = key_id) AS key_name', key: 'key_id' },
  operation: { columns: 'operation', key: 'operation' },
}

const SUMS = ['admitted', 'refused', 'banned', 'status_2xx', 'status_3xx', 'status_4xx', 'status_5xx']
  .map(column => `CAST(sum(${column}) AS BIGINT) AS ${column}`)
  .join(', ')

export function usageSums(query: UsageQuery): Query<UsageSum[]> {
  const { fromDay, toDay, accountId, operation, by, limit = Number.MAX_SAFE_INTEGER } = query
  const { where, values } = conditions<Value>([
    ['day >= ?', fromDay],
    ['day <= ?', toDay],
    ['account_id = ?', accountId],
    ['operation = ?', operation],
  ])
  const columns = by.map(dimension => `${DIMENSIONS[dimension].columns}, `).join('')
  const keys = by.map(dimension => DIMENSIONS[dimension].key).join(', ')
  const grouped = keys === '' ? 'HAVING count(*) > 0' : `GROUP BY ${keys} ORDER BY ${keys}`
  const sql = `SELECT ${columns}${SUMS}, max(last_at) AS last_at FROM usage ${where} ${grouped} LIMIT ?`
  return all<UsageRow, UsageSum>(sql, [...values, limit], usageSumOf)
}

/** One row more than the limit shows that more follow. */
function petPage(sql: string, values: Value[], query: PetQuery): Query<PetPage> {
  return {
    sql,
    values: [...values, query.limit + 1],
    resultOf(rows) {
      const pets = (rows as PetRow[]).slice(0, query.limit).map(petOf)
      ensureAsked(pets, query)
      return { pets, hasMore: rows.length > query.limit }
    },
  }
}

/** Where an index or a page of the table is damaged, rows may come that were not asked for. */
function ensureAsked(pets: readonly Pet[], { status, afterId }: PetQuery): void {
  let lastId = afterId
  for (const { id, status: own } of pets) {
    if (id <= lastId || (status !== undefined && own !== status)) {
      throw new StoreDamaged(`Animal ${id} is on a page where it does not belong.`)
    }
    lastId = id
  }
}

function first<Row, Result>(sql: string, values: Value[], resultOf: (row: Row) => Result): Query<Result | undefined> {
  return { sql, values, resultOf: ([row]) => (row === undefined ? undefined : resultOf(row as Row)) }
}

function all<Row, Result>(sql: string, values: Value[], resultOf: (row: Row) => Result): Query<Result[]> {
  return { sql, values, resultOf: rows => rows.map(row => resultOf(row as Row)) }
}
