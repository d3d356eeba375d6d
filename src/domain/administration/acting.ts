import { type Actor, type AuditAction, type NewAuditEntry, withDetails } from '../audit.ts'
import type { Deployment } from '../deployment.ts'
import type { Store } from '../store.ts'
import { isoTime } from '../time.ts'

/**
 * What operators do stands in this folder, once for every surface they do it on. Each deed refuses with a `Mistake` what cannot be
 * done, and is written into the audit log together with what it changes.
 */
export interface Acting {
  store: Store
  deployment: Deployment
  actor: Actor
  /** Unix milliseconds. */
  now: number
}

/**
 * What is written down of a deed; see `withDetails`. What an account was like before it, the store adds: it reads that in the transaction
 * of the deed.
 */
export function entryOf(
  { actor, now }: Pick<Acting, 'actor' | 'now'>,
  action: AuditAction,
  details: Readonly<Record<string, string | undefined>>,
  accountId?: bigint,
): NewAuditEntry {
  return withDetails({ at: now, actor: actor.name, origin: actor.origin, action, accountId, details: {} }, details)
}

/** As it stands in the audit log. */
export function optionalTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : isoTime(time)
}
