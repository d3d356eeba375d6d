import { ActionRefused } from '../permit.ts'
import type { AdminContext } from './context.ts'

/**
 * Checks whether the operator may still act, for an action that begins later than its call. Writes check the same in their transaction.
 * @throws ActionRefused
 */
export async function ensurePermitted({
  store,
  actor,
  now,
}: Pick<AdminContext, 'store' | 'actor' | 'now'>): Promise<void> {
  const fault = actor.permit && (await store.findPermitFault(actor.permit, now))
  if (fault) throw new ActionRefused(fault)
}
