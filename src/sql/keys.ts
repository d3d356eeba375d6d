import { type ApiKey, changedTerms, KEY_SCOPES } from '../domain/api-key.ts'
import { withChange } from '../domain/audit.ts'
import type { KeyQuery, NewKey } from '../domain/store/accounts.ts'
import { ALL } from '../domain/store/page.ts'
import type { Store } from '../domain/store.ts'
import { optionalIsoTime } from '../domain/time.ts'
import { accountGone } from './accounts.ts'
import { change, record } from './audit.ts'
import { IS_IN_FORCE } from './bans.ts'
import type { Dialect } from './dialect.ts'
import { callersWrite, longRead, shortRead } from './operation.ts'
import { remember } from './operator-creations.ts'
import { ID, NETWORKS, oneOf, optional, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, first, type Query, type Value, where } from './statement.ts'
import { read, run, type Write } from './write.ts'

type Uses = Pick<Dialect, 'keyUse' | 'keyOrigin'>

function keyWith({ keyUse, keyOrigin }: Uses): string {
  return `SELECT api_key.id, account_id, account.name AS account_name, api_key.name, scope, networks, hint, api_key.created_at,
    expires_at, revoked_at, (SELECT max(last_at) FROM ${keyUse} WHERE key_id = api_key.id) AS last_used_at,
    (SELECT last_from FROM ${keyOrigin} WHERE key_id = api_key.id ORDER BY last_at DESC LIMIT 1) AS last_used_from, replaced_by,
    (SELECT max(ends_at) FROM ban WHERE key_id = api_key.id AND lifted_at IS NULL) AS ban_ends_at
  FROM api_key JOIN account ON account.id = account_id`
}

const keyOf = rowReader<ApiKey>('a key', {
  id: ID,
  accountId: ID,
  accountName: TEXT,
  name: optional(TEXT),
  scope: oneOf(KEY_SCOPES),
  networks: optional(NETWORKS),
  hint: TEXT,
  createdAt: TIME,
  expiresAt: optional(TIME),
  revokedAt: optional(TIME),
  lastUsedAt: optional(TIME),
  lastUsedFrom: optional(TEXT),
  replacedBy: optional(ID),
  banEndsAt: optional(TIME),
})

/** The SQL equivalent of `secretState`; its parameter is the time. */
const STATE = "CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= ? THEN 'expired' ELSE 'active' END"

/** Whether a ban of the key is in force at the time of the parameter. */
const IS_BANNED = `api_key.id IN (SELECT key_id FROM ban WHERE ${IS_IN_FORCE})`

function keysFound(query: KeyQuery, dialect: Uses): Query<ApiKey[]> {
  const { accountId, state, search, unusedSince, used, expiresBefore, afterId, limit } = { ...ALL, ...query }
  const isBanned = state?.is === 'banned'
  const calls = `SELECT 1 FROM ${dialect.keyUse} WHERE key_id = api_key.id`
  const { sql, values } = where([
    ['account_id = ?', accountId],
    [`${STATE} = ?`, state?.at, isBanned ? 'active' : state?.is],
    [IS_BANNED, isBanned ? state.at : undefined],
    ["(hint = ? OR instr(fold(coalesce(api_key.name, '')), fold(?)) > 0)", search, search],
    [`api_key.created_at < ? AND NOT EXISTS (${calls} AND last_at >= ?)`, unusedSince, unusedSince],
    [`EXISTS (${calls}) = (? = 1)`, used === undefined ? undefined : Number(used)],
    ['expires_at < ?', expiresBefore],
    ['api_key.id > ?', afterId],
  ])
  return all(`${keyWith(dialect)} ${sql} ORDER BY api_key.id LIMIT ?`, [...values, limit], keyOf)
}

function keyById(id: bigint, dialect: Uses): Query<ApiKey | undefined> {
  return first(`${keyWith(dialect)} WHERE api_key.id = ?`, [id], keyOf)
}

export const keyOperations = (dialect: Uses) => ({
  listKeys: longRead((query: KeyQuery = {}) => keysFound(query, dialect)),
  findKey: shortRead((id: bigint) => keyById(id, dialect)),
  createKey: callersWrite<Store['createKey']>(function* (key, entry) {
    const created = yield* insertKey(key, entry.at)
    if (!created) throw accountGone(key.accountId)
    yield* record(entry, created.id)
    return yield* remember(entry, created)
  }),
  changeKey: callersWrite<Store['changeKey']>(function* (id, { name, scope, networks }, entry) {
    const before = yield* read(keyById(id, dialect))
    if (!before || before.revokedAt !== undefined) return undefined
    const after = {
      ...before,
      name: name === undefined ? before.name : (name ?? undefined),
      scope: scope ?? before.scope,
      networks: networks === undefined ? before.networks : (networks ?? undefined),
    }
    const changed = changedTerms(before, after)
    if (!changed) return before
    const sql = 'UPDATE api_key SET name = ?, scope = ?, networks = ? WHERE id = ? RETURNING id'
    yield* change(withChange(entry, changed), sql, after.name ?? null, after.scope, formatNetworks(after.networks), id)
    return after
  }),
  replaceKey: callersWrite<Store['replaceKey']>(function* (id, expiresAt, { hash, hint }, entry) {
    const created = yield* insert(
      `INSERT INTO api_key (account_id, hash, hint, name, scope, networks, created_at, expires_at)
       SELECT account_id, ?, ?, name, scope, networks, ?, expires_at FROM api_key
       WHERE id = ? AND replaced_by IS NULL AND revoked_at IS NULL RETURNING id`,
      ...[hash, hint, entry.at, id],
    )
    if (!created) return undefined
    const changed = withChange(entry, {
      before: { expiresAt: optionalIsoTime(created.expiresAt) ?? null, replacedBy: null },
      after: { replacedBy: created.id },
    })
    const sql = 'UPDATE api_key SET expires_at = ?, replaced_by = ? WHERE id = ? RETURNING id'
    yield* change(changed, sql, expiresAt, created.id, id)
    return yield* remember(entry, created)
  }),
  revokeKey: callersWrite<Store['revokeKey']>((id, entry) => {
    const sql = 'UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING id'
    return change(entry, sql, entry.at, id)
  }),
})

/** Must run in the transaction of its audit entry. Undefined for an account that no longer exists. */
export function insertKey(key: NewKey, now: number): Write<ApiKey | undefined> {
  const { accountId, hash, hint, name, scope, networks, expiresAt } = key
  return insert(
    `INSERT INTO api_key (account_id, hash, hint, name, scope, networks, created_at, expires_at)
     SELECT id, ?, ?, ?, ?, ?, ?, ? FROM account WHERE id = ? RETURNING id`,
    ...[hash, hint, name ?? null, scope, formatNetworks(networks), now, expiresAt ?? null, accountId],
  )
}

/** A new key has no calls. */
const UNUSED: Uses = { keyUse: 'key_use', keyOrigin: 'key_origin' }

/** @param sql inserts at most one key, and returns its id */
function* insert(sql: string, ...values: readonly Value[]): Write<ApiKey | undefined> {
  const [key] = yield* run<{ id: bigint }>(sql, ...values)
  return key && (yield* read(keyById(key.id, UNUSED)))
}

export function formatNetworks(networks: readonly string[] | undefined): string | null {
  return networks?.join(' ') ?? null
}
