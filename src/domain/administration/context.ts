import {
  type Actor,
  type AuditAction,
  type GivenValues,
  type NewAuditEntry,
  withChange,
  withDetails,
} from '../audit.ts'
import type { Deployment } from '../deployment.ts'
import type { Store } from '../store.ts'

/**
 * The context of an operator's action: who acts, when, and on which store. The actions are in this folder, for the command line and for the
 * admin API. Each throws a `UserError` if it cannot be carried out, and writes its audit entry in the same transaction as its change.
 */
export interface AdminContext {
  store: Store
  deployment: Deployment
  actor: Actor
  /** Unix milliseconds. */
  now: number
}

/**
 * The audit entry of an action; see `withDetails`. The store adds the earlier state of the account, which it reads in the transaction of
 * the action.
 */
export function entryOf(
  { actor, now }: Pick<AdminContext, 'actor' | 'now'>,
  action: AuditAction,
  { accountId, details = {}, ...change }: About = {},
): NewAuditEntry {
  const { name, permit, origin } = actor
  const by = { actor: name, tokenId: permit?.tokenId, permit, origin }
  const entry: NewAuditEntry = { at: now, ...by, action, accountId, details: {} }
  return withChange(withDetails(entry, details), change)
}

interface About {
  accountId?: bigint | undefined
  details?: GivenValues
  before?: GivenValues
  after?: GivenValues
}
