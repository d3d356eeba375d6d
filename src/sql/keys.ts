import type { ApiKey } from '../domain/api-key.ts'
import { type NewAuditEntry, withDetails } from '../domain/audit.ts'
import type { KeyHash, KeyQuery, NewKey } from '../domain/store/accounts.ts'
import type { Page } from '../domain/store/page.ts'
import { change, record } from './audit.ts'
import { ID, optional, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, first, type Query, where } from './statement.ts'
import { read, run, type Write } from './write.ts'

const KEY = `SELECT api_key.id, account_id, account.name AS account_name, api_key.name, hint, api_key.created_at, expires_at,
    revoked_at, (SELECT max(last_at) FROM usage WHERE key_id = api_key.id) AS last_used_at, replaced_by
  FROM api_key JOIN account ON account.id = account_id`

const keyOf = rowReader<ApiKey>('a key', {
  id: ID,
  accountId: ID,
  accountName: TEXT,
  name: optional(TEXT),
  hint: TEXT,
  createdAt: TIME,
  expiresAt: optional(TIME),
  revokedAt: optional(TIME),
  lastUsedAt: optional(TIME),
  replacedBy: optional(ID),
})

/** Like `secretState`, at the time that is its parameter. */
const STATE = "CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= ? THEN 'expired' ELSE 'active' END"

export function keysFound({ accountId, state, afterId, limit }: KeyQuery & Page): Query<ApiKey[]> {
  const { sql, values } = where([
    ['account_id = ?', accountId],
    [`${STATE} = ?`, state?.at, state?.is],
    ['api_key.id > ?', afterId],
  ])
  return all(`${KEY} ${sql} ORDER BY api_key.id LIMIT ?`, [...values, limit], keyOf)
}

export function keyById(id: bigint): Query<ApiKey | undefined> {
  return first(`${KEY} WHERE api_key.id = ?`, [id], keyOf)
}

/** Does not check the rows: a damaged one must not keep all other keys out. `callerByHash` checks the row of the key that calls. */
export function keyHashesAfter({ afterId, limit }: Page): Query<KeyHash[]> {
  const sql = 'SELECT id, hash FROM api_key WHERE id > ? ORDER BY id LIMIT ?'
  return all(sql, [afterId, limit], ({ id, hash }) => ({ id, hash }) as KeyHash)
}

export const keyWrites = {
  /** Undefined for an account that no longer exists. */
  *createKey(key: NewKey, entry: NewAuditEntry): Write<ApiKey | undefined> {
    const created = yield* insert(key, entry.at)
    if (created) yield* record(entry, created.id)
    return created
  },
  /** Returns the successor; undefined for a key that is revoked or already has one. */
  *replaceKey(id: bigint, expiresAt: number, successor: NewKey, entry: NewAuditEntry): Write<ApiKey | undefined> {
    const isReplaceable = 'SELECT id FROM api_key WHERE id = ? AND replaced_by IS NULL AND revoked_at IS NULL'
    const [replaceable] = yield* run(isReplaceable, id)
    const created = replaceable && (yield* insert(successor, entry.at))
    if (!created) return undefined
    const changed = withDetails(entry, { successor: String(created.id) })
    const sql = 'UPDATE api_key SET expires_at = ?, replaced_by = ? WHERE id = ? RETURNING id'
    yield* change(changed, sql, expiresAt, created.id, id)
    return created
  },
  revokeKey(id: bigint, entry: NewAuditEntry): Write<boolean> {
    const sql = 'UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING id'
    return change(entry, sql, entry.at, id)
  },
}

function* insert({ accountId, hash, hint, name, expiresAt }: NewKey, now: number): Write<ApiKey | undefined> {
  const [key] = yield* run<{ id: bigint }>(
    `INSERT INTO api_key (account_id, hash, hint, name, created_at, expires_at)
     SELECT id, ?, ?, ?, ?, ? FROM account WHERE id = ? RETURNING id`,
    ...[hash, hint, name ?? null, now, expiresAt ?? null, accountId],
  )
  return key && (yield* read(keyById(key.id)))
}
