import type { Service } from '../app/service.ts'
import { createAccount } from '../domain/administration/accounts.ts'
import type { AdminContext } from '../domain/administration/context.ts'
import { issueKey } from '../domain/administration/keys.ts'
import { createSignInLink, type NewSignInLink } from '../domain/administration/sign-in-links.ts'
import { COMMAND_LINE } from '../domain/audit.ts'
import type { Deployment } from '../domain/deployment.ts'
import type { Store } from '../domain/store.ts'
import { DAY_MS } from '../domain/time.ts'
import { DEMO_PETS } from './demo-pets.ts'
import { commandLineActor } from './with-store.ts'

const ACCOUNT = 'demo'
export const DEMO_KEY_DAYS = 7

interface Demo {
  /** Valid for `DEMO_KEY_DAYS`. */
  key: string
  /** Signs the user in once, as an administrator. */
  link: NewSignInLink
  hasSampleAnimals: boolean
}

/** Prepares a service for trying it out: adds animals if there are none, and creates a key and a sign-in link. */
export async function prepareDemo({ store }: Service, deployment: Deployment, now: number): Promise<Demo> {
  const context: AdminContext = { store, deployment, actor: { name: ACCOUNT, origin: COMMAND_LINE }, now }
  const hasSampleAnimals = await addAnimals(store, now)
  if (!(await store.findAccountByName(ACCOUNT))) {
    await createAccount(context, { name: ACCOUNT, plan: 'business', limits: {} })
  }
  const expiresAt = now + DEMO_KEY_DAYS * DAY_MS
  const { key } = await issueKey(context, { account: ACCOUNT, name: ACCOUNT, expiresAt })
  const actor = commandLineActor(process.env)
  const link = await createSignInLink({ ...context, actor }, { name: actor.name, role: 'admin' })
  return { key, link, hasSampleAnimals }
}

/** Returns whether the first animals are the samples, which an earlier start may have added. */
async function addAnimals(store: Store, now: number): Promise<boolean> {
  const { pets } = await store.listPets({ status: undefined, afterId: 0n, limit: DEMO_PETS.length })
  if (pets.length === 0) await Promise.all(DEMO_PETS.map(pet => store.createPet(pet, now)))
  return pets.every(pet => DEMO_PETS.some(one => one.name === pet.name && one.categoryId === pet.categoryId))
}
