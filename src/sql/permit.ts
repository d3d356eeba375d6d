import type { NewAuditEntry } from '../domain/audit.ts'
import { ActionRefused, faultOf, type Permit, type PermitFault } from '../domain/permit.ts'
import { sessionByHash, tokenById } from './credentials.ts'
import type { Query } from './statement.ts'
import { read, type Write } from './write.ts'

/** Why an operator may no longer act, if that is so. */
export function faultOfPermit(permit: Permit, now: number): Query<PermitFault | undefined> {
  const { tokenId, sessionHash } = permit
  const query = sessionHash === undefined ? tokenById(tokenId) : sessionByHash(sessionHash)
  return { ...query, resultOf: rows => faultOf(permit, query.resultOf(rows), now) }
}

/**
 * Runs in the transaction of an operator's action, before its audit entry. What ends the permit waits until the commit.
 * @throws ActionRefused
 */
export function* ensurePermitted({ permit, at }: NewAuditEntry): Write<void> {
  const fault = permit && (yield* read({ ...faultOfPermit(permit, at), holdsRows: true }))
  if (fault) throw new ActionRefused(fault)
}
