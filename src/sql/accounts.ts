import { type Account, type AccountVersion, type AccountWithUsage, isSameVersion } from '../domain/account.ts'
import { type NewAuditEntry, withChange, withDetails } from '../domain/audit.ts'
import { UserError } from '../domain/errors.ts'
import { type Limits, PLANS, type Plan } from '../domain/plan.ts'
import type {
  AccountName,
  AccountQuery,
  AccountUsageOrder,
  AccountUsageQuery,
  NewAccount,
} from '../domain/store/accounts.ts'
import { ALL, type Page } from '../domain/store/page.ts'
import { optionalIsoTime } from '../domain/time.ts'
import { dayOf } from '../domain/usage.ts'
import { change, record } from './audit.ts'
import { IS_IN_FORCE } from './bans.ts'
import type { Dialect } from './dialect.ts'
import { longRead, shortRead, write } from './operation.ts'
import { remember } from './operator-creations.ts'
import { COUNT, ID, oneOf, optional, POSITIVE, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, type Condition, first, type Query, type Row, type Value, where } from './statement.ts'
import { BY_ACCOUNT } from './usage.ts'
import { read, run, type Write } from './write.ts'

type Usage = Pick<Dialect, 'usageIn'>

function columnsOfAccount({ usageIn }: Usage): string {
  const calls = `FROM ${usageIn(BY_ACCOUNT.day)} WHERE account_id = account.id AND operation = 'getPet'`
  return `account.id, account.name, plan, per_minute, per_day, created_at, suspended_at,
    (SELECT CAST(coalesce(sum(admitted), 0) AS BIGINT) ${calls}) AS deprecated_calls,
    (SELECT max(last_at) ${calls}) AS last_deprecated_call_at`
}

function accountWith(dialect: Usage): string {
  return `SELECT ${columnsOfAccount(dialect)} FROM account`
}

/** What operators can change about an account. */
const VERSION = {
  name: TEXT,
  plan: oneOf(PLANS),
  perMinute: POSITIVE,
  perDay: POSITIVE,
  suspendedAt: optional(TIME),
}

const readAccount = rowReader('an account', {
  id: ID,
  ...VERSION,
  createdAt: TIME,
  deprecatedCalls: COUNT,
  lastDeprecatedCallAt: optional(TIME),
})

function accountOf(row: Row): Account {
  const { perMinute, perDay, ...account } = readAccount(row)
  return { ...account, limits: { perMinute, perDay } }
}

/** The SQL equivalent of `accountState`. */
const STATE = "CASE WHEN suspended_at IS NULL THEN 'active' ELSE 'suspended' END"

/** The share of the limit per day that is used, and the calls that were not admitted, in a join of `account` and `today`. */
const SHARE = 'CAST(coalesce(today.admitted, 0) AS DOUBLE PRECISION) / per_day'
const TURNED_AWAY = 'coalesce(today.refused + today.banned, 0)'
const WITH_TODAY = 'account LEFT JOIN today ON today.account_id = account.id'

/** For each order: how it sorts, and where a page starts. */
const ORDERS: Record<AccountUsageOrder, { by: string; isAfter: string }> = {
  oldest: { by: 'account.id', isAfter: 'account.id > ?' },
  newest: { by: 'account.id DESC', isAfter: 'account.id < ?' },
  name: { by: 'name_key', isAfter: 'name_key > (SELECT name_key FROM account WHERE id = ?)' },
  usage: descending(SHARE, TURNED_AWAY),
  refused: descending(TURNED_AWAY, SHARE),
}

/** By these values, the largest first; then by id. */
function descending(...values: string[]): { by: string; isAfter: string } {
  const keys = [...values, '-account.id']
  const start = `SELECT ${keys.join(', ')} FROM ${WITH_TODAY} WHERE account.id = ?`
  return { by: keys.map(key => `${key} DESC`).join(', '), isAfter: `(${keys.join(', ')}) < (${start})` }
}

function isPicked({ name, plan, state, sort = 'oldest', afterId = ALL.afterId }: PageQuery): Condition[] {
  return [
    [ORDERS[sort].isAfter, afterId > 0n ? afterId : undefined],
    ['plan = ?', plan],
    [`${STATE} = ?`, state],
    ['instr(fold(account.name), fold(?)) > 0', name],
  ]
}

type PageQuery = Omit<AccountUsageQuery, 'at'>

function accountsFound(query: AccountQuery, dialect: Usage): Query<Account[]> {
  const { sort = 'oldest', limit = ALL.limit } = query
  const { sql, values } = where(isPicked(query))
  return all(`${accountWith(dialect)} ${sql} ORDER BY ${ORDERS[sort].by} LIMIT ?`, [...values, limit], accountOf)
}

/** Sums up the calls of all accounts only if the list is ordered by them. */
function accountsWithUsage({ at, ...query }: AccountUsageQuery, dialect: Usage): Query<AccountWithUsage[]> {
  const { sort = 'oldest', limit = ALL.limit } = query
  const { by } = ORDERS[sort]
  const picked = where(isPicked(query))
  const isByUsage = by.includes('today.')
  const page = `page AS (SELECT account.* FROM ${isByUsage ? WITH_TODAY : 'account'} ${picked.sql} ORDER BY ${by} LIMIT ?)`
  const ofPage = isByUsage ? '' : 'AND account_id IN (SELECT id FROM page)'
  const today = `today AS (SELECT account_id, ${USAGE_TODAY} FROM ${dialect.usageIn(BY_ACCOUNT.day)}
    WHERE day = ? ${ofPage} GROUP BY account_id)`
  const banned = `banned AS (SELECT account_id, count(DISTINCT key_id) AS keys FROM ban JOIN api_key ON api_key.id = key_id
    WHERE ${IS_IN_FORCE} GROUP BY account_id)`
  const day = dayOf(at)
  const pageValues = [...picked.values, limit]
  return all(
    `WITH ${isByUsage ? `${today}, ${page}` : `${page}, ${today}`}, ${banned}
     SELECT ${columnsOfAccount(dialect)}, ${USED_TODAY}, coalesce(banned.keys, 0) AS banned_keys
     FROM page AS ${WITH_TODAY} LEFT JOIN banned ON banned.account_id = account.id ORDER BY ${by}`,
    [...(isByUsage ? [day, ...pageValues] : [...pageValues, day]), at],
    row => {
      const { bannedKeys, ...usageToday } = readUsage(row)
      return { ...accountOf(row), usageToday, bannedKeys }
    },
  )
}

const OUTCOMES = ['admitted', 'refused', 'banned']
const USAGE_TODAY = OUTCOMES.map(count => `CAST(sum(${count}) AS BIGINT) AS ${count}`).join(', ')
const USED_TODAY = OUTCOMES.map(count => `coalesce(today.${count}, 0) AS ${count}`).join(', ')

const readUsage = rowReader('the usage of an account', {
  admitted: COUNT,
  refused: COUNT,
  banned: COUNT,
  bannedKeys: COUNT,
})

function accountNames({ afterId, limit }: Page): Query<AccountName[]> {
  const sql = 'SELECT id, name FROM account WHERE id > ? ORDER BY id LIMIT ?'
  return all(sql, [afterId, limit], rowReader<AccountName>('an account', { id: ID, name: TEXT }))
}

function accountById(id: bigint, dialect: Usage): Query<Account | undefined> {
  return first(`${accountWith(dialect)} WHERE account.id = ?`, [id], accountOf)
}

function accountByName(name: string, dialect: Usage): Query<Account | undefined> {
  const found = all(
    `${accountWith(dialect)} WHERE account.name = ? OR ${HAS_NAME}`,
    [name, ...nameValues(name)],
    accountOf,
  )
  return {
    ...found,
    resultOf(rows) {
      const accounts = found.resultOf(rows)
      const exact = accounts.find(account => account.name === name)
      return exact ?? (accounts.length === 1 ? accounts[0] : undefined)
    },
  }
}

/**
 * Whether an account has a name, ignoring case. If the names of older accounts differ only in case, the keys of all but the first end with
 * the account's id; see the migration that adds the column.
 */
const HAS_NAME = '(name_key = name_key(?) OR name_key > name_key(?) || ? AND name_key < name_key(?) || ?)'
const BEFORE_ID = '\x1f'
const AFTER_IDS = ' '

function nameValues(name: string): Value[] {
  return [name, name, BEFORE_ID, name, AFTER_IDS]
}

const readBefore = rowReader('an account', VERSION)

/**
 * An account before a change; undefined if it does not exist.
 * @throws UserError when it is not as expected
 */
function* accountBefore(id: bigint, expected: AccountVersion | undefined) {
  const before = yield* read(first(`SELECT ${readBefore.columns} FROM account WHERE id = ?`, [id], readBefore))
  if (before && expected && !isSameVersion({ ...before, limits: before }, expected)) {
    throw new UserError('changed', 'The account has changed since you read it; read it again.')
  }
  return before
}

function* isTaken(name: string, ownId = 0n): Write<boolean> {
  const [other] = yield* run(`SELECT id FROM account WHERE ${HAS_NAME} AND id <> ?`, ...nameValues(name), ownId)
  return other !== undefined
}

function* nameTaken(name: string, dialect: Usage): Write<UserError> {
  const other = yield* read(accountByName(name, dialect))
  const reason = other && other.name !== name ? '; names are not case-sensitive' : ''
  return new UserError('conflict', `An account named "${other?.name ?? name}" already exists${reason}.`, 'name')
}

export function accountGone(id: bigint): UserError {
  return new UserError('not_found', `The account with id ${id} no longer exists.`)
}

/** In an order in which no row refers to a deleted row. */
const DELETE_WHAT_ACCOUNT_OWNS = [
  'DELETE FROM claim_link WHERE account_id = ?',
  'DELETE FROM ban WHERE key_id IN (SELECT id FROM api_key WHERE account_id = ?)',
  'DELETE FROM key_origin WHERE key_id IN (SELECT id FROM api_key WHERE account_id = ?)',
  'DELETE FROM key_use WHERE key_id IN (SELECT id FROM api_key WHERE account_id = ?)',
  'DELETE FROM api_key WHERE account_id = ?',
  'DELETE FROM account_count WHERE account_id = ?',
]

const CALLERS = { changes: 'callers' } as const

export function accountOperations(dialect: Dialect) {
  return {
    listAccounts: longRead((query: AccountQuery = {}) => accountsFound(query, dialect)),
    listAccountsWithUsage: longRead((query: AccountUsageQuery) => accountsWithUsage(query, dialect)),
    listAccountNames: longRead(accountNames),
    findAccount: shortRead((id: bigint) => accountById(id, dialect)),
    findAccountByName: shortRead((name: string) => accountByName(name, dialect)),
    createAccount: write(CALLERS, function* (account: NewAccount, entry: NewAuditEntry): Write<Account> {
      const { name, plan, limits } = account
      if (yield* isTaken(name)) throw yield* nameTaken(name, dialect)
      const [inserted] = yield* run<{ id: bigint }>(
        `INSERT INTO account (name, name_key, plan, per_minute, per_day, created_at) VALUES (?, name_key(?), ?, ?, ?, ?)
         ON CONFLICT DO NOTHING RETURNING id`,
        ...[name, name, plan, limits.perMinute, limits.perDay, entry.at],
      )
      if (!inserted) throw yield* nameTaken(name, dialect)
      const { id } = inserted
      const unused = { suspendedAt: undefined, deprecatedCalls: 0, lastDeprecatedCallAt: undefined }
      const created = { id, ...account, createdAt: entry.at, ...unused }
      yield* record({ ...entry, accountId: id }, id)
      yield* remember(entry, created)
      return created
    }),
    renameAccount: write(
      CALLERS,
      function* (id: bigint, name: string, entry: NewAuditEntry, expected?: AccountVersion): Write<boolean> {
        const before = yield* accountBefore(id, expected)
        if (!before) return false
        if (name !== before.name && (yield* isTaken(name, id))) throw yield* nameTaken(name, dialect)
        const changed = withChange(entry, { before: { name: before.name } })
        const key = 'CASE WHEN name = ? THEN name_key ELSE name_key(?) END'
        const sql = `UPDATE account SET name_key = ${key}, name = ? WHERE id = ? RETURNING id`
        return yield* change(changed, sql, name, name, name, id)
      },
    ),
    setPlan: write(
      CALLERS,
      function* (
        id: bigint,
        plan: Plan,
        limits: Limits,
        entry: NewAuditEntry,
        expected?: AccountVersion,
      ): Write<boolean> {
        const before = yield* accountBefore(id, expected)
        if (!before) return false
        const { plan: oldPlan, perMinute, perDay } = before
        const changed = withChange(entry, { before: { plan: oldPlan, perMinute, perDay } })
        const sql = 'UPDATE account SET plan = ?, per_minute = ?, per_day = ? WHERE id = ? RETURNING id'
        return yield* change(changed, sql, plan, limits.perMinute, limits.perDay, id)
      },
    ),
    setSuspended: write(
      CALLERS,
      function* (
        id: bigint,
        suspendedAt: number | undefined,
        entry: NewAuditEntry,
        expected?: AccountVersion,
      ): Write<boolean> {
        const before = yield* accountBefore(id, expected)
        if (!before) return false
        const known = withDetails(entry, { name: before.name })
        const changed = withChange(known, { before: { suspendedAt: timeOf(before.suspendedAt) } })
        const isOther = suspendedAt === undefined ? 'suspended_at IS NOT NULL' : 'suspended_at IS NULL'
        const sql = `UPDATE account SET suspended_at = ? WHERE id = ? AND ${isOther} RETURNING id`
        return yield* change(changed, sql, suspendedAt ?? null, id)
      },
    ),
    deleteAccount: write(
      CALLERS,
      function* (id: bigint, entry: NewAuditEntry, expected?: AccountVersion): Write<boolean> {
        const before = yield* accountBefore(id, expected)
        if (!before) return false
        for (const sql of [dialect.beforeAccountDeletion, ...DELETE_WHAT_ACCOUNT_OWNS]) yield* run(sql, id)
        const changed = withChange(entry, { before: { ...before, suspendedAt: timeOf(before.suspendedAt) } })
        return yield* change(changed, 'DELETE FROM account WHERE id = ? RETURNING id', id)
      },
    ),
  }
}

function timeOf(time: number | undefined): string | null {
  return optionalIsoTime(time) ?? null
}
