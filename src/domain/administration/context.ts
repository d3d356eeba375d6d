import {
  type Actor,
  type AuditAction,
  type GivenValues,
  type NewAuditEntry,
  withChange,
  withDetails,
} from '../audit.ts'
import type { Deployment } from '../deployment.ts'
import { notFound, type UserError } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import type { RepeatableRequest } from '../repeatable-request.ts'
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
  /** For a creation that the operator may repeat. */
  request?: RepeatableRequest | undefined
}

/**
 * The audit entry of an action; see `withDetails`. The store adds the earlier state of the account, which it reads in the transaction of
 * the action.
 */
export function entryOf(
  { actor, now, request }: Pick<AdminContext, 'actor' | 'now' | 'request'>,
  action: AuditAction,
  { accountId, details = {}, unstored, ...change }: About = {},
): NewAuditEntry {
  const { name, permit, origin } = actor
  const by = { actor: name, tokenId: permit?.tokenId, permit, origin }
  const repeatable = request && { ...request, unstored }
  const entry: NewAuditEntry = { at: now, ...by, request: repeatable, action, accountId, details: {} }
  return withChange(withDetails(entry, details), change)
}

interface About {
  accountId?: bigint | undefined
  details?: GivenValues
  before?: GivenValues
  after?: GivenValues
  /** For a creation: members of what is created that the store does not keep. They are not in the entry. */
  unstored?: Readonly<Record<string, unknown>>
}

/**
 * What a store has under an id, as given by an operator.
 * @param what is looked for, such as "key"
 * @throws UserError if there is none
 */
export async function findById<Found>(
  what: string,
  given: string,
  find: (id: bigint) => Promise<Found | undefined>,
): Promise<Found> {
  const id = parseInt64(given)
  const found = id === undefined ? undefined : await find(id)
  if (found === undefined) throw noSuch(what, given)
  return found
}

export function noSuch(what: string, given: string): UserError {
  return notFound(`There is no ${what} with id "${given}".`)
}
