import { COMMAND } from '../command-name.ts'
import { createAccount } from '../domain/administration/accounts.ts'
import type { Acting } from '../domain/administration/acting.ts'
import { issueKey } from '../domain/administration/keys.ts'
import { COMMAND_LINE } from '../domain/audit.ts'
import type { Deployment } from '../domain/deployment.ts'
import type { Store } from '../domain/store.ts'
import type { Service } from '../service.ts'
import { DEMO_PETS } from './demo-pets.ts'

const ACCOUNT = 'demo'
const KEY_DAYS = 7
const DAY_MS = 24 * 60 * 60 * 1_000

/** Makes a service ready to be tried, and tells a person how: animals if there are none, and a key that works for a week. */
export async function prepareDemo(service: Service, deployment: Deployment, now: number): Promise<string> {
  const { store, url, baseUrl, operatorUrl } = service
  const acting: Acting = { store, deployment, actor: { name: ACCOUNT, origin: COMMAND_LINE }, now }
  await addAnimals(store, now)
  if (!(await store.findAccountByName(ACCOUNT))) {
    await createAccount(acting, { name: ACCOUNT, plan: 'business', limits: {} })
  }
  const expiresAt = now + KEY_DAYS * DAY_MS
  const { key } = await issueKey(acting, { account: ACCOUNT, name: ACCOUNT, expiresAt })
  // The public base address may lead elsewhere; the line to paste must reach this very process.
  return `
Petstore is running (${deployment}). Ctrl-C stops it.

  Base URL   ${baseUrl}
  Docs       ${url}/docs
  Operators  ${operatorUrl}/docs (call with what ${COMMAND} token create shows)
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
