import type { Account } from '../domain/account.ts'
import { type NewAuditEntry, withDetails } from '../domain/audit.ts'
import { describePlan, type Limits, PLANS, type Plan } from '../domain/plan.ts'
import type { AccountQuery, NewAccount } from '../domain/store/accounts.ts'
import type { Page } from '../domain/store/page.ts'
import { change, record } from './audit.ts'
import type { Dialect } from './dialect.ts'
import { COUNT, ID, oneOf, optional, POSITIVE, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, first, type Query, type Row, where } from './statement.ts'
import { read, run, type Write } from './write.ts'

const ACCOUNT = `SELECT account.id, account.name, plan, per_minute, per_day, created_at, suspended_at,
    (SELECT CAST(coalesce(sum(admitted), 0) AS BIGINT) FROM usage WHERE account_id = account.id AND operation = 'getPet') AS deprecated_calls,
    (SELECT max(last_at) FROM usage WHERE account_id = account.id AND operation = 'getPet') AS last_deprecated_call_at
  FROM account`

const readAccount = rowReader('an account', {
  id: ID,
  name: TEXT,
  plan: oneOf(PLANS),
  perMinute: POSITIVE,
  perDay: POSITIVE,
  createdAt: TIME,
  suspendedAt: optional(TIME),
  deprecatedCalls: COUNT,
  lastDeprecatedCallAt: optional(TIME),
})

function accountOf(row: Row): Account {
  const { perMinute, perDay, ...account } = readAccount(row)
  return { ...account, limits: { perMinute, perDay } }
}

/** Like `accountState`. */
const STATE = "CASE WHEN suspended_at IS NULL THEN 'active' ELSE 'suspended' END"

export function accountsFound({ name, plan, state, afterId, limit }: AccountQuery & Page): Query<Account[]> {
  const { sql, values } = where([
    ['account.id > ?', afterId],
    ['plan = ?', plan],
    [`${STATE} = ?`, state],
    ['has_part(account.name, fold(?))', name],
  ])
  return all(`${ACCOUNT} ${sql} ORDER BY account.id LIMIT ?`, [...values, limit], accountOf)
}

export function accountById(id: bigint): Query<Account | undefined> {
  return first(`${ACCOUNT} WHERE account.id = ?`, [id], accountOf)
}

export function accountByName(name: string): Query<Account | undefined> {
  return first(`${ACCOUNT} WHERE account.name = ?`, [name], accountOf)
}

const readBefore = rowReader('an account', {
  name: TEXT,
  plan: oneOf(PLANS),
  perMinute: POSITIVE,
  perDay: POSITIVE,
})

/** An account as it was before a change. */
function accountBefore(id: bigint) {
  return first('SELECT name, plan, per_minute, per_day FROM account WHERE id = ?', [id], readBefore)
}

/** In an order in which nothing refers to a row that is gone. */
const DELETE_WHAT_ACCOUNT_OWNS = [
  'DELETE FROM ban WHERE key_id IN (SELECT id FROM api_key WHERE account_id = ?)',
  'DELETE FROM api_key WHERE account_id = ?',
  'DELETE FROM account_count WHERE account_id = ?',
]

export function accountWrites({ beforeAccountDeletion }: Dialect) {
  return {
    /** Returns the new account's id, or undefined when the name is taken. */
    *createAccount({ name, plan, limits }: NewAccount, entry: NewAuditEntry): Write<bigint | undefined> {
      const [account] = yield* run<{ id: bigint }>(
        `INSERT INTO account (name, plan, per_minute, per_day, created_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (name) DO NOTHING RETURNING id`,
        ...[name, plan, limits.perMinute, limits.perDay, entry.at],
      )
      if (!account) return undefined
      yield* record({ ...entry, accountId: account.id }, account.id)
      return account.id
    },
    *renameAccount(id: bigint, name: string, entry: NewAuditEntry): Write<boolean | 'taken'> {
      const before = yield* read(accountBefore(id))
      if (!before) return false
      const isFree = 'NOT EXISTS (SELECT 1 FROM account WHERE name = ? AND id <> ?)'
      const sql = `UPDATE account SET name = ? WHERE id = ? AND ${isFree} RETURNING id`
      return (yield* change(withDetails(entry, { was: before.name }), sql, name, id, name, id)) || 'taken'
    },
    *setPlan(id: bigint, plan: Plan, limits: Limits, entry: NewAuditEntry): Write<boolean> {
      const before = yield* read(accountBefore(id))
      const changed = withDetails(entry, { was: before && describePlan(before.plan, before) })
      const sql = 'UPDATE account SET plan = ?, per_minute = ?, per_day = ? WHERE id = ? RETURNING id'
      return yield* change(changed, sql, plan, limits.perMinute, limits.perDay, id)
    },
    *setSuspended(id: bigint, suspendedAt: number | undefined, entry: NewAuditEntry): Write<boolean> {
      const before = yield* read(accountBefore(id))
      const isOther = suspendedAt === undefined ? 'suspended_at IS NOT NULL' : 'suspended_at IS NULL'
      const sql = `UPDATE account SET suspended_at = ? WHERE id = ? AND ${isOther} RETURNING id`
      return yield* change(withDetails(entry, { name: before?.name }), sql, suspendedAt ?? null, id)
    },
    *deleteAccount(id: bigint, entry: NewAuditEntry): Write<boolean> {
      const before = yield* read(accountBefore(id))
      for (const sql of [beforeAccountDeletion, ...DELETE_WHAT_ACCOUNT_OWNS]) yield* run(sql, id)
      const changed = withDetails(entry, { name: before?.name })
      return yield* change(changed, 'DELETE FROM account WHERE id = ? RETURNING id', id)
    },
  }
}
