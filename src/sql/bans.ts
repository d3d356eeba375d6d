import { BAN_WINDOWS, type Ban, MAX_BANS } from '../domain/ban.ts'
import type { BanQuery } from '../domain/store/accounts.ts'
import type { Store } from '../domain/store.ts'
import { change } from './audit.ts'
import { callersWrite, longRead, shortRead, writeOf } from './operation.ts'
import { ID, oneOf, optional, POSITIVE, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, first, type Query, where } from './statement.ts'
import { insert } from './write.ts'

/** The SQL equivalent of `isInForce`; its parameter is the time. */
export const IS_IN_FORCE = 'ends_at > ? AND lifted_at IS NULL'

export const banOf = rowReader<Ban>('a ban', {
  id: ID,
  keyId: ID,
  source: optional(TEXT),
  earnedIn: optional(oneOf(BAN_WINDOWS)),
  startedAt: TIME,
  endsAt: TIME,
  ordinal: POSITIVE,
  liftedAt: optional(TIME),
})

const BAN = `SELECT ${banOf.columns} FROM ban`

function bansFound(query: BanQuery = {}): Query<Ban[]> {
  const { accountId, keyId, inForceAt, beforeId, limit = Number.MAX_SAFE_INTEGER } = query
  const { sql, values } = where([
    ['key_id = ?', keyId],
    ['key_id IN (SELECT id FROM api_key WHERE account_id = ?)', accountId],
    [IS_IN_FORCE, inForceAt],
    ['id < ?', beforeId],
  ])
  return all(`${BAN} ${sql} ORDER BY id DESC LIMIT ?`, [...values, limit], banOf)
}

/**
 * The bans of one key that a caller needs: those that end last, so that all bans in force are among them, and lifted ones that would be.
 * @param keyId an expression
 */
export function bansOfCaller(keyId: string): string {
  return `${BAN} WHERE key_id = ${keyId} ORDER BY ends_at DESC LIMIT ${2 * MAX_BANS}`
}

/** The newest ban that lengthens the next one. */
function lastBanOf(keyId: bigint, source: string): Query<Ban | undefined> {
  const condition = "key_id = ? AND (source = ? OR source IS NULL) AND (earned_in <> 'day' OR earned_in IS NULL)"
  return first(`${BAN} WHERE ${condition} ORDER BY id DESC LIMIT 1`, [keyId, source], banOf)
}

export const banOperations = {
  listBans: longRead(bansFound),
  findBan: shortRead((id: bigint) => first(`${BAN} WHERE id = ?`, [id], banOf)),
  findLastBan: shortRead(lastBanOf),
  createBan: writeOf({ changes: 'callers', isInCall: true })<Store['createBan']>(function* (keyId, term) {
    const id = yield* insert('ban', { keyId, ...term })
    return { id, keyId, ...term, liftedAt: undefined }
  }),
  liftBan: callersWrite<Store['liftBan']>((id, entry) => {
    const sql = 'UPDATE ban SET lifted_at = ? WHERE id = ? AND lifted_at IS NULL RETURNING id'
    return change(entry, sql, entry.at, id)
  }),
}
