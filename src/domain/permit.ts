import { UserError } from './errors.ts'
import { isUsable, type OperatorToken, ROLES, type Role } from './operator.ts'
import { isUsableSession, type Session } from './session.ts'

/** What an operator's action rests on. It must still hold when the action is written. */
export interface Permit {
  tokenId: bigint
  /** For an operator who is signed in: the SHA-256 of the session's secret. */
  sessionHash?: string | undefined
  /** The lowest role that may do it. */
  role: Role
}

/** `ended`: the token or the session is no longer valid. `role`: the operator no longer has the role. */
export type PermitFault = 'ended' | 'role'

/**
 * An operator's action was refused in the transaction of its write: the operator is no longer permitted to act, or the same request has been
 * carried out before. Nothing has been written.
 */
export class ActionRefused extends Error {
  override readonly name = 'ActionRefused'
  readonly reason: PermitFault | 'repeated'

  constructor(reason: PermitFault | 'repeated') {
    super('The action of an operator was refused.')
    this.reason = reason
  }
}

/** A refusal is an answer, and no failure of the store. */
export function isRefusal(error: unknown): error is ActionRefused | UserError {
  return error instanceof ActionRefused || error instanceof UserError
}

/** @param found the token or the session of the permit */
export function faultOf(
  { role }: Permit,
  found: OperatorToken | Session | undefined,
  now: number,
): PermitFault | undefined {
  if (!found) return 'ended'
  const token = 'token' in found ? found.token : found
  const isValid = 'token' in found ? isUsableSession(found, now) : isUsable(found, now)
  if (!isValid) return 'ended'
  return ROLES.indexOf(token.role) < ROLES.indexOf(role) ? 'role' : undefined
}
