import type { Service } from '../app/service.ts'
import { createAccount } from '../domain/administration/accounts.ts'
import type { AdminContext } from '../domain/administration/context.ts'
import { issueKey } from '../domain/administration/keys.ts'
import { createSignInLink, type NewSignInLink } from '../domain/administration/sign-in-links.ts'
import type { Deployment } from '../domain/deployment.ts'
import type { Store } from '../domain/store.ts'
import { DAY_MS } from '../domain/time.ts'
import { DEMO_PETS } from './demo-pets.ts'
import { areSamples, DEMO_ACCOUNT, DEMO_ACTOR } from './demo-store.ts'
import { commandLineActor } from './with-store.ts'

export const DEMO_KEY_DAYS = 7

interface Demo {
  /** Valid for `DEMO_KEY_DAYS`. */
  key: string
  /** Signs the user in once, as an administrator. */
  link: NewSignInLink
  hasSampleAnimals: boolean
}

/** Prepares a service on a demo store: creates its account, adds animals if there are none, and creates a key and a sign-in link. */
export async function prepareDemo({ store }: Service, deployment: Deployment, now: number): Promise<Demo> {
  const context: AdminContext = { store, deployment, actor: DEMO_ACTOR, now }
  // First, because it marks the store.
  if (!(await store.findAccountByName(DEMO_ACCOUNT))) {
    await createAccount(context, { name: DEMO_ACCOUNT, plan: 'business', limits: {} })
  }
  const hasSampleAnimals = await addAnimals(store, now)
  const expiresAt = now + DEMO_KEY_DAYS * DAY_MS
  const { key } = await issueKey(context, { account: DEMO_ACCOUNT, name: DEMO_ACCOUNT, expiresAt })
  const actor = commandLineActor(process.env)
  const link = await createSignInLink({ ...context, actor }, { name: actor.name, role: 'admin' })
  return { key, link, hasSampleAnimals }
}

/** Returns whether the first animals are the samples, which an earlier start may have added. */
async function addAnimals(store: Store, now: number): Promise<boolean> {
  const { pets } = await store.listPets({ status: undefined, afterId: 0n, limit: DEMO_PETS.length })
  if (pets.length === 0) await Promise.all(DEMO_PETS.map(pet => store.createPet(pet, now)))
  return areSamples(pets)
}
