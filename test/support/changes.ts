import assert from 'node:assert/strict'
import { createAccount, resumeAccount, setPlan, suspendAccount } from '../../src/domain/administration/accounts.ts'
import { liftBansOfKey } from '../../src/domain/administration/bans.ts'
import type { AdminContext } from '../../src/domain/administration/context.ts'
import { issueKey, revokeKey, rotateKey } from '../../src/domain/administration/keys.ts'
import { addPet, correctPet, deletePet, findPet } from '../../src/domain/administration/pets.ts'
import type { TestStore } from './command-line.ts'

/** The changes that operators make, each as one action. Accounts have the plan enterprise, and ids are strings. */
export interface Changes {
  createAccount(name: string, perMinute: number): Promise<string>
  setLimit(accountId: string, perMinute: number): Promise<void>
  suspend(accountId: string): Promise<void>
  resume(accountId: string): Promise<void>
  issueKey(accountId: string): Promise<NewKey>
  /** The old key keeps working for a minute. */
  rotateKey(keyId: string): Promise<NewKey>
  revokeKey(keyId: string): Promise<void>
  liftBan(keyId: string): Promise<void>
  addPet(name: string): Promise<string>
  correctPet(petId: string, name: string): Promise<void>
  deletePet(petId: string): Promise<void>
}

export interface NewKey {
  id: string
  key: string
}

const PER_DAY = 1_000_000
const OVERLAP_SECONDS = 60
const CATEGORY = 7

/** Makes changes through the admin API of one instance. */
export function changesByApi(operatorUrl: string, token: string): Changes {
  async function send(method: string, path: string, body?: unknown, ifMatch?: string): Promise<Sent> {
    const answer = await fetch(`${operatorUrl}/admin/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.text()
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`)
    return { json: text === '' ? undefined : JSON.parse(text), etag: answer.headers.get('etag') ?? '' }
  }
  const post = async (path: string, body?: unknown) => (await send('POST', path, body)).json
  const keyOf = ({ id, key }: { id: number; key: string }) => ({ id: String(id), key })
  const plan = (perMinute: number) => ({ plan: 'enterprise', perMinute, perDay: PER_DAY })
  return {
    createAccount: async (name, perMinute) => String((await post('/accounts', { name, ...plan(perMinute) })).id),
    setLimit: async (id, perMinute) => void (await send('PUT', `/accounts/${id}/plan`, plan(perMinute))),
    suspend: id => post(`/accounts/${id}/suspend`),
    resume: id => post(`/accounts/${id}/resume`),
    issueKey: async id => keyOf(await post(`/accounts/${id}/keys`, {})),
    rotateKey: async id => keyOf(await post(`/keys/${id}/rotate`, { overlapSeconds: OVERLAP_SECONDS })),
    revokeKey: id => post(`/keys/${id}/revoke`),
    liftBan: id => post(`/keys/${id}/lift-ban`),
    addPet: async name => String((await post('/pets', { name, categoryId: CATEGORY })).id),
    async correctPet(id, name) {
      const { etag } = await send('GET', `/pets/${id}`)
      await send('PATCH', `/pets/${id}`, { name }, etag)
    },
    async deletePet(id) {
      const { etag } = await send('GET', `/pets/${id}`)
      await send('DELETE', `/pets/${id}`, undefined, etag)
    },
  }
}

/** Creates a key of a new account with practically unlimited calls, without a command. */
export function issueKeyWithoutLimit(store: TestStore): Promise<string> {
  return store.act(async context => {
    const changes = changesOnStore(() => context)
    return (await changes.issueKey(await changes.createAccount('acme', 1_000_000))).key
  })
}

interface Sent {
  // biome-ignore lint/suspicious/noExplicitAny: what the admin API answers is tested elsewhere
  json: any
  etag: string
}

/** Makes changes with commands, each in its own process. */
export function changesByCommand(store: TestStore): Changes {
  const run = async (...args: string[]) => void (await store.text(...args))
  const idOf = async (...args: string[]) => String((await store.json(...args)).id)
  const keyOf = async (...args: string[]) => {
    const { id, key } = await store.json(...args)
    return { id: String(id), key }
  }
  const plan = (perMinute: number) => [
    ...['--plan', 'enterprise', '--per-minute', String(perMinute), '--per-day', String(PER_DAY)],
  ]
  return {
    createAccount: (name, perMinute) => idOf('account', 'create', name, ...plan(perMinute)),
    setLimit: (id, perMinute) => run('account', 'set-plan', id, ...plan(perMinute)),
    suspend: id => run('account', 'suspend', id),
    resume: id => run('account', 'resume', id),
    issueKey: id => keyOf('key', 'create', id),
    rotateKey: id => keyOf('key', 'rotate', id, '--overlap', String(OVERLAP_SECONDS)),
    revokeKey: id => run('key', 'revoke', id),
    liftBan: id => run('ban', 'lift', id),
    addPet: name => idOf('pet', 'add', name, '--category', String(CATEGORY)),
    correctPet: (id, name) => run('pet', 'correct', id, '--name', name),
    deletePet: id => run('pet', 'delete', id),
  }
}

/** Makes changes as commands do, but without a process for each: on a store that is open alongside the service. */
export function changesOnStore(context: () => AdminContext): Changes {
  const plan = (perMinute: number) => ({ plan: 'enterprise', limits: { perMinute, perDay: PER_DAY } }) as const
  return {
    createAccount: async (name, perMinute) => String((await createAccount(context(), { name, ...plan(perMinute) })).id),
    setLimit: async (id, perMinute) => void (await setPlan(context(), { account: id, ...plan(perMinute) })),
    suspend: async id => void (await suspendAccount(context(), id)),
    resume: async id => void (await resumeAccount(context(), id)),
    async issueKey(account) {
      const { id, key } = await issueKey(context(), { account })
      return { id: String(id), key }
    },
    async rotateKey(keyId) {
      const { issued } = await rotateKey(context(), { keyId, overlapSeconds: OVERLAP_SECONDS })
      return { id: String(issued.id), key: issued.key }
    },
    revokeKey: async id => void (await revokeKey(context(), id)),
    liftBan: async id => void (await liftBansOfKey(context(), id)),
    addPet: async name =>
      String((await addPet(context(), { name, categoryId: BigInt(CATEGORY), status: 'available' })).id),
    correctPet: async (id, name) => void (await correctPet(context(), await findPet(context().store, id), { name })),
    deletePet: async id => void (await deletePet(context(), await findPet(context().store, id))),
  }
}
