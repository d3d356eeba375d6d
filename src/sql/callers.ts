import type { Caller, WriteTerms } from '../domain/account.ts'
import { KEY_SCOPES } from '../domain/api-key.ts'
import { StoreDamaged } from '../domain/errors.ts'
import { PLANS } from '../domain/plan.ts'
import { banOf } from './bans.ts'
import { formatNetworks } from './keys.ts'
import { ID, NETWORKS, oneOf, optional, POSITIVE, rowReader, TEXT, TIME } from './row-reader.ts'
import { first, type Query } from './statement.ts'

/** A key with its account, and the newest of its bans. */
const CALLER = `SELECT api_key.hash, api_key.id AS key_id, account_id, plan, per_minute, per_day, suspended_at, scope, networks, expires_at,
    revoked_at, ban.id AS ban_id, started_at, ends_at, ordinal, lifted_at
  FROM api_key JOIN account ON account.id = account_id
    LEFT JOIN ban ON ban.id = (SELECT max(id) FROM ban WHERE key_id = api_key.id)`

const readCaller = rowReader('a caller', {
  hash: TEXT,
  keyId: ID,
  accountId: ID,
  plan: oneOf(PLANS),
  perMinute: POSITIVE,
  perDay: POSITIVE,
  suspendedAt: optional(TIME),
  scope: oneOf(KEY_SCOPES),
  networks: optional(NETWORKS),
  expiresAt: optional(TIME),
  revokedAt: optional(TIME),
  banId: optional(ID),
})

export function callerByHash(hash: string): Query<Caller | undefined> {
  return first(`${CALLER} WHERE api_key.id = (SELECT id FROM api_key WHERE hash = ?)`, [hash], row => {
    const { hash: own, perMinute, perDay, banId, ...caller } = readCaller(row)
    if (own !== hash) throw new StoreDamaged('The index of keys points to another key.')
    const lastBan = banId === undefined ? undefined : banOf({ ...row, id: banId })
    return { ...caller, limits: { perMinute, perDay }, lastBan }
  })
}

/**
 * Selects the key of a caller that may write. Must run in the transaction of the write, with two more conditions: the key has this id, and its
 * networks and expiry are those of `TermValues`.
 */
export const WRITER = `FROM api_key JOIN account ON account.id = account_id
  WHERE revoked_at IS NULL AND suspended_at IS NULL AND scope = 'read-write'`

/** `WriteTerms` as values of SQL. */
export type TermValues = readonly [keyId: bigint, networks: string | null, expiresAt: number | null]

export function termValues({ keyId, networks, expiresAt }: WriteTerms): TermValues {
  return [keyId, formatNetworks(networks), expiresAt ?? null]
}
