import { COMMAND_LINE } from '../domain/audit.ts'
import type { Store } from '../domain/store.ts'

/**
 * The actor of what the demo does. It creates its account first, so that the audit log of its store begins with this actor: that marks the store.
 * No user of an operating system has a name with spaces.
 */
export const DEMO_ACTOR = { name: 'petstore serve --demo', origin: COMMAND_LINE } as const
export const DEMO_ACCOUNT = 'demo'

/** Whose a store is: the demo's if the demo created it, whatever was added since. */
export async function whoseStore(store: Store): Promise<'empty' | 'demo' | 'other'> {
  const [first] = (await store.listAudit({ beforeId: 10n, limit: 10 })).toReversed()
  if (first) return first.actor === DEMO_ACTOR.name ? 'demo' : 'other'
  const accounts = await store.listAccounts({ at: Date.now(), limit: 1 })
  const { pets } = await store.listPets({ status: undefined, afterId: 0n, limit: 1 })
  return accounts.length + pets.length === 0 ? 'empty' : 'other'
}
