import { type AuditQuery, type NewAuditEntry, withDetails } from '../domain/audit.ts'
import { isUsable } from '../domain/operator.ts'
import { MAX_SESSIONS_PER_TOKEN } from '../domain/session.ts'
import type { NewSession } from '../domain/store/operators.ts'
import type { Store } from '../domain/store.ts'
import { change, record } from './audit.ts'
import { auditEntries } from './audit-list.ts'
import { sessionByHash, signInLinkByHash, tokenByHash, tokenById, tokens } from './credentials.ts'
import type { Dialect } from './dialect.ts'
import { longRead, plainWrite, shortRead } from './operation.ts'
import { remember } from './operator-creations.ts'
import { faultOfPermit } from './permit.ts'
import { insert, read, run, type Write } from './write.ts'

/** Makes room for one more session of a token: deletes the sessions that would end first. */
const DELETE_SURPLUS_SESSIONS = `DELETE FROM session WHERE token_id = ? AND hash NOT IN
  (SELECT hash FROM session WHERE token_id = ? ORDER BY expires_at DESC, hash LIMIT ${MAX_SESSIONS_PER_TOKEN - 1})
  RETURNING hash`

const DELETE_SESSION = 'DELETE FROM session WHERE hash = ? RETURNING token_id AS id'

export const operatorOperations = (dialect: Dialect) => ({
  listTokens: shortRead(tokens),
  findToken: shortRead(tokenById),
  findTokenByHash: shortRead(tokenByHash),
  findPermitFault: shortRead(faultOfPermit),
  createToken: plainWrite<Store['createToken']>(function* ({ hash, ...token }, entry) {
    const id = yield* insert('operator_token', { hash, ...token, createdAt: entry.at })
    const created = { id, source: undefined, ...token, createdAt: entry.at, revokedAt: undefined }
    yield* record(entry, id)
    return yield* remember(entry, created)
  }),
  revokeToken: plainWrite<Store['revokeToken']>((id, entry) => {
    const sql = 'UPDATE operator_token SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING id'
    return change(entry, sql, entry.at, id)
  }),

  findSession: shortRead(sessionByHash),
  createSession: plainWrite<Store['createSession']>(createSession),
  deleteSession: plainWrite<Store['deleteSession']>((hash, entry) => change(entry, DELETE_SESSION, hash)),

  findSignInLink: shortRead(signInLinkByHash),
  createSignInLink: plainWrite<Store['createSignInLink']>(function* (link, entry) {
    const { hash, tokenId, expiresAt } = link
    const token = yield* read(tokenById(tokenId))
    if (!token || !isUsable(token, entry.at)) return false
    yield* run('INSERT INTO sign_in_link (hash, token_id, expires_at) VALUES (?, ?, ?)', hash, tokenId, expiresAt)
    yield* record(entry, tokenId)
    yield* remember(entry, { tokenId, expiresAt })
    return true
  }),
  redeemSignInLink: plainWrite<Store['redeemSignInLink']>(function* (hash, session, entry) {
    const used = yield* run('DELETE FROM sign_in_link WHERE hash = ? AND expires_at > ? RETURNING hash', hash, entry.at)
    if (used.length === 0) return false
    yield* createSession(session, entry)
    return true
  }),

  listAudit: longRead((query: AuditQuery) => auditEntries(query, dialect)),
  recordAudit: plainWrite<Store['recordAudit']>(function* (entry) {
    yield* record(entry)
  }),
})

function* createSession(session: NewSession, entry: NewAuditEntry): Write<void> {
  const { hash, tokenId, expiresAt, replaces = [] } = session
  let ended = 0
  for (const replaced of replaces) ended += (yield* run(DELETE_SESSION, replaced)).length
  ended += (yield* run(DELETE_SURPLUS_SESSIONS, tokenId, tokenId)).length
  yield* run('INSERT INTO session (hash, token_id, expires_at) VALUES (?, ?, ?)', hash, tokenId, expiresAt)
  yield* record(withDetails(entry, { ended: ended > 0 ? ended : undefined }), tokenId)
}
