import { type AuditEntry, COMMAND_LINE } from '../domain/audit.ts'
import { changedMembers, type Pet } from '../domain/pet.ts'
import type { Store } from '../domain/store.ts'
import { DEMO_PETS } from './demo-pets.ts'

/**
 * The actor of what the demo does. It creates its account first, so that the audit log of its store begins with this actor: that marks the store.
 * No user of an operating system has a name with spaces.
 */
export const DEMO_ACTOR = { name: 'petstore serve --demo', origin: COMMAND_LINE } as const
export const DEMO_ACCOUNT = 'demo'

/** The actor up to version 1.1. */
const FORMER_ACTOR = 'demo'

/**
 * Whose a store is. It is the demo's if the demo created it, whatever was added since. A store without the mark, from an earlier release, must hold
 * nothing but what the demo made, and animals added with its keys.
 */
export async function whoseStore(store: Store): Promise<'empty' | 'demo' | 'other'> {
  const [first] = (await store.listAudit({ beforeId: 10n, limit: 10 })).toReversed()
  if (first?.actor === DEMO_ACTOR.name) return 'demo'
  const accounts = await store.listAccounts({ limit: 2 })
  const { pets } = await store.listPets({ status: undefined, afterId: 0n, limit: DEMO_PETS.length })
  if (!first && accounts.length + pets.length === 0) return 'empty'
  if (!first && accounts.length > 0) return 'other'
  const isDemo = accounts.every(({ name }) => name === DEMO_ACCOUNT) && areSamples(pets) && (await isOnlyOfDemo(store))
  return isDemo ? 'demo' : 'other'
}

/** Whether the first animals are the samples, in any status. */
export function areSamples(pets: readonly Pet[]): boolean {
  return pets
    .filter(({ id }) => id <= DEMO_PETS.length)
    .every(pet => DEMO_PETS.some(one => changedMembers(one, pet).every(member => member === 'status')))
}

/** More than years of starts. */
const MAX_ENTRIES = 10_000

/** Only callers with a key change anything without an audit entry: they add animals. */
async function isOnlyOfDemo(store: Store): Promise<boolean> {
  const entries = await store.listAudit({ limit: MAX_ENTRIES })
  return entries.length < MAX_ENTRIES && entries.every((entry, index) => isOfDemo(entry, entries[index - 1]))
}

function isOfDemo({ actor, action, subjectId }: AuditEntry, next: AuditEntry | undefined): boolean {
  switch (action) {
    case 'account.create':
    case 'key.issue':
      return actor === FORMER_ACTOR
    case 'token.create':
      // It was never shown.
      return next?.action === 'token.link' && next.subjectId === subjectId
    case 'token.link':
    case 'session.sign-in':
    case 'session.sign-out':
    case 'sign-in.refused':
      return true
    default:
      return false
  }
}
