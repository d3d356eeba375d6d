import { type NewAuditEntry, withDetails } from '../domain/audit.ts'
import { type OperatorToken, ROLES } from '../domain/operator.ts'
import { MAX_SESSIONS_PER_TOKEN, type Session } from '../domain/session.ts'
import type { SignInLink } from '../domain/sign-in-link.ts'
import type { NewSession, NewSignInLink, NewToken } from '../domain/store/operators.ts'
import type { Page } from '../domain/store/page.ts'
import { change, record } from './audit.ts'
import { ID, oneOf, optional, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, first, type Query } from './statement.ts'
import { run, type Write } from './write.ts'

const TOKEN = 'SELECT id, name, role, hint, created_at, expires_at, revoked_at FROM operator_token'

const tokenOf = rowReader<OperatorToken>('a token', {
  id: ID,
  name: TEXT,
  role: oneOf(ROLES),
  hint: TEXT,
  createdAt: TIME,
  expiresAt: optional(TIME),
  revokedAt: optional(TIME),
})

export function tokens({ afterId, limit }: Page): Query<OperatorToken[]> {
  return all(`${TOKEN} WHERE id > ? ORDER BY id LIMIT ?`, [afterId, limit], tokenOf)
}

export function tokenByHash(hash: string): Query<OperatorToken | undefined> {
  return first(`${TOKEN} WHERE hash = ?`, [hash], tokenOf)
}

const readEnd = rowReader('a session or a link', { ownExpiresAt: TIME })

export function sessionByHash(hash: string): Query<Session | undefined> {
  return withTokenByHash('session', hash)
}

export function signInLinkByHash(hash: string): Query<SignInLink | undefined> {
  return withTokenByHash('sign_in_link', hash)
}

function withTokenByHash(table: 'session' | 'sign_in_link', hash: string) {
  return first(
    `SELECT id, name, role, hint, created_at, operator_token.expires_at, revoked_at, ${table}.expires_at AS own_expires_at
     FROM ${table} JOIN operator_token ON operator_token.id = token_id WHERE ${table}.hash = ?`,
    [hash],
    row => ({ token: tokenOf(row), expiresAt: readEnd(row).ownExpiresAt }),
  )
}

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
