import type { Account, AccountWithUsage } from '../domain/account.ts'
import { PLANS } from '../domain/plan.ts'
import type { AccountName, AccountOrder, AccountQuery } from '../domain/store/accounts.ts'
import { ALL, type Page } from '../domain/store/page.ts'
import { dayOf } from '../domain/usage.ts'
import { IS_IN_FORCE } from './bans.ts'
import type { Dialect } from './dialect.ts'
import { COUNT, ID, oneOf, optional, POSITIVE, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, type Condition, first, type Query, type Row, type Value, where } from './statement.ts'
import { BY_ACCOUNT } from './usage.ts'

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

const readAccount = rowReader('an account', {
  id: ID,
  name: TEXT,
  plan: oneOf(PLANS),
  perMinute: POSITIVE,
  perDay: POSITIVE,
  suspendedAt: optional(TIME),
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
const ORDERS: Record<AccountOrder, { by: string; isAfter: string }> = {
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

function isPicked({
  name,
  plan,
  state,
  sort = 'oldest',
  afterId = ALL.afterId,
}: Omit<AccountQuery, 'at'>): Condition[] {
  return [
    [ORDERS[sort].isAfter, afterId > 0n ? afterId : undefined],
    ['plan = ?', plan],
    [`${STATE} = ?`, state],
    ['instr(fold(account.name), fold(?)) > 0', name],
  ]
}

/** Sums up the calls of all accounts only if the list is ordered by them. */
export function accountsFound({ at, ...query }: AccountQuery, dialect: Usage): Query<AccountWithUsage[]> {
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

export function accountNames({ afterId, limit }: Page): Query<AccountName[]> {
  const sql = 'SELECT id, name FROM account WHERE id > ? ORDER BY id LIMIT ?'
  return all(sql, [afterId, limit], rowReader<AccountName>('an account', { id: ID, name: TEXT }))
}

export function accountById(id: bigint, dialect: Usage): Query<Account | undefined> {
  return first(`${accountWith(dialect)} WHERE account.id = ?`, [id], accountOf)
}

export function accountByName(name: string, dialect: Usage): Query<Account | undefined> {
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
export const HAS_NAME = '(name_key = name_key(?) OR name_key > name_key(?) || ? AND name_key < name_key(?) || ?)'
const BEFORE_ID = '\x1f'
const AFTER_IDS = ' '

export function nameValues(name: string): Value[] {
  return [name, name, BEFORE_ID, name, AFTER_IDS]
}
