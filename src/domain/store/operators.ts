import type { AuditEntry, AuditQuery, NewAuditEntry } from '../audit.ts'
import type { OperatorToken, Role } from '../operator.ts'
import type { Session } from '../session.ts'

/** Port: the operators' tokens and sessions, and the audit log. */
export interface OperatorStore {
  createToken(token: NewToken, entry: NewAuditEntry): Promise<OperatorToken>
  listTokens(): Promise<OperatorToken[]>
  /** Also if the token is revoked or has expired. */
  findToken(hash: string): Promise<OperatorToken | undefined>
  /** False if the token does not exist, or is already revoked. */
  revokeToken(id: bigint, entry: NewAuditEntry): Promise<boolean>

  /** Ends the sessions that it replaces, and the oldest ones where the token has too many. */
  createSession(session: NewSession, entry: NewAuditEntry): Promise<void>
  /** Also if the session or its token is over. */
  findSession(hash: string): Promise<Session | undefined>
  deleteSession(hash: string, entry: NewAuditEntry): Promise<boolean>

  /** Writes an audit entry about something that changes nothing in the store. */
  recordAudit(entry: NewAuditEntry): Promise<void>
  listAudit(query: AuditQuery): Promise<AuditEntry[]>
}

export interface NewToken {
  hash: string
  hint: string
  name: string
  role: Role
  expiresAt: number | undefined
}

export interface NewSession {
  hash: string
  tokenId: bigint
  expiresAt: number
  /** The hashes of the sessions that this one ends. */
  replaces?: readonly string[]
}
