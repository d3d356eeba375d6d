import type { AuditQuery, ListedEntry, NewAuditEntry } from '../audit.ts'
import type { OperatorToken } from '../operator.ts'
import type { Permit, PermitFault } from '../permit.ts'
import type { SealedCreation } from '../repeatable-request.ts'
import type { Session } from '../session.ts'
import type { SignInLink } from '../sign-in-link.ts'
import type { Page } from './page.ts'
import type { Versions } from './revision.ts'

/** Port: the operators' tokens and sessions, and the audit log. */
export interface OperatorStore {
  createToken(token: NewToken, entry: NewAuditEntry): Promise<OperatorToken>
  /** In ascending order of id; all of them by default. */
  listTokens(page?: Page): Promise<OperatorToken[]>
  /** Finds a token even if it is revoked or has expired. */
  findToken(id: bigint): Promise<OperatorToken | undefined>
  findTokenByHash(hash: string): Promise<OperatorToken | undefined>
  /** Why an operator may no longer act, if that is so. Every write with the permit in its entry checks the same in its transaction. */
  findPermitFault(permit: Permit, now: number): Promise<PermitFault | undefined>
  /** False if the token does not exist, or is already revoked. */
  revokeToken(id: bigint, entry: NewAuditEntry): Promise<boolean>

  /**
   * What a request of an operator created within the last 24 hours. Every creation with the request in its entry is remembered in its
   * transaction.
   */
  findCreation(key: string, now: number): Promise<SealedCreation | undefined>

  /** Ends the sessions that it replaces, and the oldest ones if the token has too many. */
  createSession(session: NewSession, entry: NewAuditEntry): Promise<void>
  /** Finds a session even if it or its token is no longer valid. */
  findSession(hash: string): Promise<Session | undefined>
  deleteSession(hash: string, entry: NewAuditEntry): Promise<boolean>

  /** False if its token is no longer valid. */
  createSignInLink(link: NewSignInLink, entry: NewAuditEntry): Promise<boolean>
  /** Finds a link even if it or its token is no longer valid. */
  findSignInLink(hash: string): Promise<SignInLink | undefined>
  /** Consumes a link and starts a session, both or neither. False if the link does not exist or has expired. */
  redeemSignInLink(hash: string, session: NewSession, entry: NewAuditEntry): Promise<boolean>

  /** Writes an audit entry about an event that does not change the store. */
  recordAudit(entry: NewAuditEntry): Promise<void>
  /** Includes everything that others have committed up to now. Cheap, but not as cheap as `revision`. */
  readVersions(): Promise<Versions>
  /** May take long, without delaying other calls. */
  listAudit(query: AuditQuery): Promise<ListedEntry[]>
}

export type NewToken = Omit<OperatorToken, 'id' | 'createdAt' | 'revokedAt' | 'source'> & {
  hash: string
  source?: string | undefined
}

export interface NewSignInLink {
  hash: string
  tokenId: bigint
  expiresAt: number
}

export interface NewSession extends NewSignInLink {
  /** The hashes of the sessions that this one ends. */
  replaces?: readonly string[]
}
