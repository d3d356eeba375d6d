import type { Caller, WriteTerms } from '../domain/account.ts'
import { KEY_SCOPES } from '../domain/api-key.ts'
import { StoreDamaged } from '../domain/errors.ts'
import { PLANS } from '../domain/plan.ts'
import { banOf, bansOfCaller } from './bans.ts'
import { formatNetworks } from './keys.ts'
import { ID, NETWORKS, oneOf, optional, POSITIVE, rowReader, TEXT, TIME } from './row-reader.ts'
import type { Query } from './statement.ts'

const KEY_ID = '(SELECT id FROM api_key WHERE hash = ?)'

/** A key with its account, in one row for each of its bans. */
const CALLER = `SELECT api_key.hash, api_key.id AS key_id, account_id, plan, per_minute, per_day, suspended_at, scope, networks, expires_at,
    revoked_at, ban.id AS ban_id, source, earned_in, started_at, ends_at, ordinal, lifted_at
  FROM api_key JOIN account ON account.id = account_id LEFT JOIN (${bansOfCaller(KEY_ID)}) AS ban ON ban.key_id = api_key.id
  WHERE api_key.id = ${KEY_ID} ORDER BY ban.id DESC`

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
  return {
    sql: CALLER,
    values: [hash, hash],
    resultOf(rows) {
      const [row] = rows
      if (!row) return undefined
      const { hash: own, perMinute, perDay, banId, ...caller } = readCaller(row)
      if (own !== hash) throw new StoreDamaged('The index of keys points to another key.')
      const bans = banId === undefined ? [] : rows.map(ban => banOf({ ...ban, id: ban.ban_id }))
      return { ...caller, limits: { perMinute, perDay }, bans }
    },
  }
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
