import type { NewAuditEntry } from '../domain/audit.ts'
import type { Ban, BanTerm } from '../domain/ban.ts'
import type { BanQuery } from '../domain/store/accounts.ts'
import { change } from './audit.ts'
import { ID, optional, POSITIVE, rowReader, TIME } from './row-reader.ts'
import { all, first, type Query, type Value, where } from './statement.ts'
import { run, type Write } from './write.ts'

const BAN = 'SELECT id, key_id, started_at, ends_at, ordinal, lifted_at FROM ban'

export const banOf = rowReader<Ban>('a ban', {
  id: ID,
  keyId: ID,
  startedAt: TIME,
  endsAt: TIME,
  ordinal: POSITIVE,
  liftedAt: optional(TIME),
})

export function newestBans({ inForceAt, ...query }: BanQuery): Query<Ban[]> {
  const isNewest = 'NOT EXISTS (SELECT 1 FROM ban AS newer WHERE newer.key_id = ban.key_id AND newer.id > ban.id)'
  return bansFound(query, [isNewest], ['coalesce(lifted_at, ends_at) > ?', inForceAt])
}

export function banHistory(query: BanQuery): Query<Ban[]> {
  return bansFound(query)
}

function bansFound(
  { accountId, keyId, beforeId, limit = Number.MAX_SAFE_INTEGER }: BanQuery,
  ...more: [condition: string, ...values: (Value | undefined)[]][]
): Query<Ban[]> {
  const { sql, values } = where([
    ['key_id = ?', keyId],
    ['key_id IN (SELECT id FROM api_key WHERE account_id = ?)', accountId],
    ['id < ?', beforeId],
    ...more,
  ])
  return all(`${BAN} ${sql} ORDER BY id DESC LIMIT ?`, [...values, limit], banOf)
}

export function newestBanOf(keyId: bigint): Query<Ban | undefined> {
  return first(`${BAN} WHERE key_id = ? ORDER BY id DESC LIMIT 1`, [keyId], banOf)
}

export const banWrites = {
  /** Returns the new ban's id. */
  *createBan(keyId: bigint, { startedAt, endsAt, ordinal }: BanTerm): Write<bigint> {
    const sql = 'INSERT INTO ban (key_id, started_at, ends_at, ordinal) VALUES (?, ?, ?, ?) RETURNING id'
    const [ban] = yield* run<{ id: bigint }>(sql, keyId, startedAt, endsAt, ordinal)
    return (ban as { id: bigint }).id
  },
  liftBan(id: bigint, entry: NewAuditEntry): Write<boolean> {
    const sql = 'UPDATE ban SET lifted_at = ? WHERE id = ? AND lifted_at IS NULL RETURNING id'
    return change(entry, sql, entry.at, id)
  },
}
