import { type AccountVersion, isSameVersion, valuesOfVersion } from '../domain/account.ts'
import { withChange, withDetails } from '../domain/audit.ts'
import { conflict, notFound, UserError } from '../domain/errors.ts'
import type { AccountQuery } from '../domain/store/accounts.ts'
import type { Store } from '../domain/store.ts'
import { optionalIsoTime } from '../domain/time.ts'
import { accountById, accountByName, accountNames, accountsFound, HAS_NAME, nameValues } from './account-reads.ts'
import { change, record } from './audit.ts'
import type { Dialect } from './dialect.ts'
import { callersWrite, longRead, shortRead } from './operation.ts'
import { remember } from './operator-creations.ts'
import { read, run, type Write } from './write.ts'

/**
 * An account before a change; undefined if it does not exist.
 * @throws UserError when it is not as expected
 */
function* accountBefore(id: bigint, expected: AccountVersion | undefined, dialect: Dialect) {
  const before = yield* read(accountById(id, dialect))
  if (before && expected && !isSameVersion(before, expected)) {
    throw new UserError('changed', 'The account has changed since you read it; read it again.')
  }
  return before
}

function* isTaken(name: string, ownId = 0n): Write<boolean> {
  const [other] = yield* run(`SELECT id FROM account WHERE ${HAS_NAME} AND id <> ?`, ...nameValues(name), ownId)
  return other !== undefined
}

function* nameTaken(name: string, dialect: Dialect): Write<UserError> {
  const other = yield* read(accountByName(name, dialect))
  const reason = other && other.name !== name ? '; names are not case-sensitive' : ''
  return conflict(`An account named "${other?.name ?? name}" already exists${reason}.`, 'name')
}

export function accountGone(id: bigint): UserError {
  return notFound(`The account with id ${id} no longer exists.`)
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

export function accountOperations(dialect: Dialect) {
  return {
    listAccounts: longRead((query: AccountQuery) => accountsFound(query, dialect)),
    listAccountNames: longRead(accountNames),
    findAccount: shortRead((id: bigint) => accountById(id, dialect)),
    findAccountByName: shortRead((name: string) => accountByName(name, dialect)),
    createAccount: callersWrite<Store['createAccount']>(function* (account, entry) {
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
      return yield* remember(entry, created)
    }),
    renameAccount: callersWrite<Store['renameAccount']>(function* (id, name, entry, expected) {
      const before = yield* accountBefore(id, expected, dialect)
      if (!before || name === before.name) return before
      if (yield* isTaken(name, id)) throw yield* nameTaken(name, dialect)
      const changed = withChange(entry, { before: { name: before.name } })
      const sql = 'UPDATE account SET name_key = name_key(?), name = ? WHERE id = ? RETURNING id'
      yield* change(changed, sql, name, name, id)
      return { ...before, name }
    }),
    setPlan: callersWrite<Store['setPlan']>(function* (id, plan, limits, entry, expected) {
      const before = yield* accountBefore(id, expected, dialect)
      const after = before && { ...before, plan, limits }
      if (!before || !after || isSameVersion(before, after)) return before
      const changed = withChange(entry, { before: { plan: before.plan, ...before.limits } })
      const sql = 'UPDATE account SET plan = ?, per_minute = ?, per_day = ? WHERE id = ? RETURNING id'
      yield* change(changed, sql, plan, limits.perMinute, limits.perDay, id)
      return after
    }),
    setSuspended: callersWrite<Store['setSuspended']>(function* (id, suspendedAt, entry, expected) {
      const before = yield* accountBefore(id, expected, dialect)
      if (!before) return undefined
      const known = withDetails(entry, { name: before.name })
      const changed = withChange(known, { before: { suspendedAt: timeOf(before.suspendedAt) } })
      const isOther = suspendedAt === undefined ? 'suspended_at IS NOT NULL' : 'suspended_at IS NULL'
      const sql = `UPDATE account SET suspended_at = ? WHERE id = ? AND ${isOther} RETURNING id`
      return (yield* change(changed, sql, suspendedAt ?? null, id)) ? { ...before, suspendedAt } : undefined
    }),
    deleteAccount: callersWrite<Store['deleteAccount']>(function* (id, entry, expected) {
      const before = yield* accountBefore(id, expected, dialect)
      if (!before) return false
      for (const sql of [dialect.beforeAccountDeletion, ...DELETE_WHAT_ACCOUNT_OWNS]) yield* run(sql, id)
      const changed = withChange(entry, {
        before: { ...valuesOfVersion(before), suspendedAt: timeOf(before.suspendedAt) },
      })
      return yield* change(changed, 'DELETE FROM account WHERE id = ? RETURNING id', id)
    }),
  }
}

function timeOf(time: number | undefined): string | null {
  return optionalIsoTime(time) ?? null
}
