import { type NewAuditEntry, withDetails } from '../domain/audit.ts'
import { MAX_SESSIONS_PER_TOKEN } from '../domain/session.ts'
import type { NewSession, NewSignInLink, NewToken } from '../domain/store/operators.ts'
import { change, record } from './audit.ts'
import { run, type Write } from './write.ts'

/** Makes room for one more session of a token: deletes the sessions that would end first. */
const DELETE_SURPLUS_SESSIONS = `DELETE FROM session WHERE token_id = ? AND hash NOT IN
  (SELECT hash FROM session WHERE token_id = ? ORDER BY expires_at DESC, hash LIMIT ${MAX_SESSIONS_PER_TOKEN - 1})
  RETURNING hash`

const DELETE_SESSION = 'DELETE FROM session WHERE hash = ? RETURNING token_id AS id'

export const operatorWrites = {
  /** Returns the new token's id. */
  *createToken({ hash, hint, name, role, expiresAt }: NewToken, entry: NewAuditEntry): Write<bigint> {
    const [token] = yield* run<{ id: bigint }>(
      `INSERT INTO operator_token (hash, hint, name, role, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?) RETURNING id`,
      ...[hash, hint, name, role, entry.at, expiresAt ?? null],
    )
    const { id } = token as { id: bigint }
    yield* record(entry, id)
    return id
  },
  revokeToken(id: bigint, entry: NewAuditEntry): Write<boolean> {
    const sql = 'UPDATE operator_token SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING id'
    return change(entry, sql, entry.at, id)
  },
  *createSession({ hash, tokenId, expiresAt, replaces = [] }: NewSession, entry: NewAuditEntry): Write<void> {
    let ended = 0
    for (const replaced of replaces) ended += (yield* run(DELETE_SESSION, replaced)).length
    ended += (yield* run(DELETE_SURPLUS_SESSIONS, tokenId, tokenId)).length
    yield* run('INSERT INTO session (hash, token_id, expires_at) VALUES (?, ?, ?)', hash, tokenId, expiresAt)
    yield* record(withDetails(entry, { ended: ended > 0 ? ended : undefined }), tokenId)
  },
  deleteSession(hash: string, entry: NewAuditEntry): Write<boolean> {
    return change(entry, DELETE_SESSION, hash)
  },
  *createSignInLink({ hash, tokenId, expiresAt }: NewSignInLink, entry: NewAuditEntry): Write<void> {
    yield* run('INSERT INTO sign_in_link (hash, token_id, expires_at) VALUES (?, ?, ?)', hash, tokenId, expiresAt)
    yield* record(entry, tokenId)
  },
  *redeemSignInLink(hash: string, session: NewSession, entry: NewAuditEntry): Write<boolean> {
    const used = yield* run('DELETE FROM sign_in_link WHERE hash = ? AND expires_at > ? RETURNING hash', hash, entry.at)
    if (used.length === 0) return false
    yield* operatorWrites.createSession(session, entry)
    return true
  },
  *recordAudit(entry: NewAuditEntry): Write<void> {
    yield* record(entry)
  },
}
