import type { AuditEntry, AuditQuery, NewAuditEntry } from '../audit.ts'
import type { OperatorToken, Role } from '../operator.ts'
import type { Session } from '../session.ts'
import type { SignInLink } from '../sign-in-link.ts'
import type { Page } from './page.ts'
import type { Versions } from './revision.ts'

/** Port: the operators' tokens and sessions, and the audit log. */
export interface OperatorStore {
  createToken(token: NewToken, entry: NewAuditEntry): Promise<OperatorToken>
  /** In ascending order of id; all of them by default. */
  listTokens(page?: Page): Promise<OperatorToken[]>
  /** Also if the token is revoked or has expired. */
  findToken(hash: string): Promise<OperatorToken | undefined>
  /** False if the token does not exist, or is already revoked. */
  revokeToken(id: bigint, entry: NewAuditEntry): Promise<boolean>

  /** Ends the sessions that it replaces, and the oldest ones where the token has too many. */
  createSession(session: NewSession, entry: NewAuditEntry): Promise<void>
  /** Also if the session or its token is over. */
  findSession(hash: string): Promise<Session | undefined>
  deleteSession(hash: string, entry: NewAuditEntry): Promise<boolean>

  createSignInLink(link: NewSignInLink, entry: NewAuditEntry): Promise<void>
  /** Also if the link or its token is over. */
  findSignInLink(hash: string): Promise<SignInLink | undefined>
  /** Uses a link up and starts a session, both or neither. False if the link does not exist, or has expired. */
  redeemSignInLink(hash: string, session: NewSession, entry: NewAuditEntry): Promise<boolean>

  /** Writes an audit entry about something that changes nothing in the store. */
  recordAudit(entry: NewAuditEntry): Promise<void>
  /** Cheap, but not as cheap as `revision`. Of what others have committed up to now. */
  readVersions(): Promise<Versions>
  /** May take long, without delaying other calls. */
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

export interface NewSignInLink {
  hash: string
  tokenId: bigint
  expiresAt: number
}
