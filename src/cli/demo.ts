import { COMMAND } from '../app/command-name.ts'
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
const KEY_DAYS = 7

/** Prepares a service to be tried: adds animals if there are none, and creates a key for a week. Returns instructions for a person. */
export async function prepareDemo(service: Service, deployment: Deployment, now: number): Promise<string> {
  const { store, url, baseUrl, operatorUrl } = service
  const context: AdminContext = { store, deployment, actor: { name: ACCOUNT, origin: COMMAND_LINE }, now }
  await addAnimals(store, now)
  if (!(await store.findAccountByName(ACCOUNT))) {
    await createAccount(context, { name: ACCOUNT, plan: 'business', limits: {} })
  }
  const expiresAt = now + KEY_DAYS * DAY_MS
  const { key } = await issueKey(context, { account: ACCOUNT, name: ACCOUNT, expiresAt })
  // The public base URL may lead elsewhere; the command to paste must reach this process.
  return `
Petstore is running (${deployment}). Ctrl-C stops it.

  Base URL   ${baseUrl}
  Docs       ${url}/docs
  Operators  ${operatorUrl}/docs (create a token with: ${COMMAND} token create)
  API key    ${key}
             (works for ${KEY_DAYS} days; each start with --demo issues a new one)

Try it:

  curl -H 'Authorization: Bearer ${key}' '${url}/v1/pets?limit=3'
`
}

async function addAnimals(store: Store, now: number): Promise<void> {
  const { pets } = await store.listPets({ status: undefined, afterId: 0n, limit: 1 })
  if (pets.length === 0) await Promise.all(DEMO_PETS.map(pet => store.createPet(pet, now)))
}
