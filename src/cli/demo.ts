import type { Service } from '../app/service.ts'
import { createAccount } from '../domain/administration/accounts.ts'
import type { AdminContext } from '../domain/administration/context.ts'
import { issueKey } from '../domain/administration/keys.ts'
import { COMMAND_LINE } from '../domain/audit.ts'
import type { Deployment } from '../domain/deployment.ts'
import type { Store } from '../domain/store.ts'
import { DAY_MS } from '../domain/time.ts'
import { DEMO_PETS } from './demo-pets.ts'

const ACCOUNT = 'demo'
export const DEMO_KEY_DAYS = 7

/** Prepares a service to be tried: adds animals if there are none, and creates a key for a week, which it returns. */
export async function prepareDemo({ store }: Service, deployment: Deployment, now: number): Promise<string> {
  const context: AdminContext = { store, deployment, actor: { name: ACCOUNT, origin: COMMAND_LINE }, now }
  await addAnimals(store, now)
  if (!(await store.findAccountByName(ACCOUNT))) {
    await createAccount(context, { name: ACCOUNT, plan: 'business', limits: {} })
  }
  const expiresAt = now + DEMO_KEY_DAYS * DAY_MS
  const { key } = await issueKey(context, { account: ACCOUNT, name: ACCOUNT, expiresAt })
  return key
}

async function addAnimals(store: Store, now: number): Promise<void> {
  const { pets } = await store.listPets({ status: undefined, afterId: 0n, limit: 1 })
  if (pets.length === 0) await Promise.all(DEMO_PETS.map(pet => store.createPet(pet, now)))
}
