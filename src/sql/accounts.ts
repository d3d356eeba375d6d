import { type Account, type AccountVersion, isSameVersion } from '../domain/account.ts'
import { type NewAuditEntry, withChange, withDetails } from '../domain/audit.ts'
import { UserError } from '../domain/errors.ts'
import { type Limits, PLANS, type Plan } from '../domain/plan.ts'
import type { AccountName, AccountOrder, AccountQuery, NewAccount } from '../domain/store/accounts.ts'
import { ALL, type Page } from '../domain/store/page.ts'
import { optionalIsoTime } from '../domain/time.ts'
import { change, record } from './audit.ts'
import type { Dialect } from './dialect.ts'
import { longRead, shortRead, write } from './operation.ts'
import { remember } from './operator-creations.ts'
import { COUNT, ID, oneOf, optional, POSITIVE, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, first, type Query, type Row, type Value, where } from './statement.ts'
import { BY_ACCOUNT } from './usage.ts'
import { read, run, type Write } from './write.ts'

type Usage = Pick<Dialect, 'usageIn'>

function accountWith({ usageIn }: Usage): string {
  const calls = `FROM ${usageIn(BY_ACCOUNT.day)} WHERE account_id = account.id AND operation = 'getPet'`
  return `SELECT account.id, account.name, plan, per_minute, per_day, created_at, suspended_at,
    (SELECT CAST(coalesce(sum(admitted), 0) AS BIGINT) ${calls}) AS deprecated_calls,
    (SELECT max(last_at) ${calls}) AS last_deprecated_call_at
  FROM account`
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

/** For each order: how it sorts, and where a page starts. */
const ORDERS: Record<AccountOrder, { by: string; isAfter: string }> = {
  oldest: { by: 'account.id', isAfter: 'account.id > ?' },
  newest: { by: 'account.id DESC', isAfter: 'account.id < ?' },
  name: { by: 'name_key', isAfter: 'name_key > (SELECT name_key FROM account WHERE id = ?)' },
}

function accountsFound(query: AccountQuery, dialect: Usage): Query<Account[]> {
  const { name, plan, state, sort = 'oldest', afterId, limit } = { ...ALL, ...query }
  const { by, isAfter } = ORDERS[sort]
  const { sql, values } = where([
    [isAfter, afterId > 0n ? afterId : undefined],
    ['plan = ?', plan],
    [`${STATE} = ?`, state],
    ['instr(fold(account.name), fold(?)) > 0', name],
  ])
  return all(`${accountWith(dialect)} ${sql} ORDER BY ${by} LIMIT ?`, [...values, limit], accountOf)
}

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
  'DELETE FROM refusal WHERE key_id IN (SELECT id FROM api_key WHERE account_id = ?)',
  'DELETE FROM key_use WHERE key_id IN (SELECT id FROM api_key WHERE account_id = ?)',
  'DELETE FROM api_key WHERE account_id = ?',
  'DELETE FROM account_count WHERE account_id = ?',
]

const CALLERS = { changes: 'callers' } as const

export function accountOperations(dialect: Dialect) {
  return {
    listAccounts: longRead((query: AccountQuery = {}) => accountsFound(query, dialect)),
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
