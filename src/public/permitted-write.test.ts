import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { adminContext } from '../../test/support/admin-context.ts'
import { openStore } from '../../test/support/store.ts'
import { createAccount } from '../domain/administration/accounts.ts'
import { changeKey, issueKey, revokeKey } from '../domain/administration/keys.ts'
import { parseAddress } from '../http/address.ts'
import { Refusal } from '../http/refusal.ts'
import { MemoryAddressLimiter } from '../memory/address-limiter.ts'
import { buildAuthentication } from './authenticate.ts'
import type { PublicCall } from './call.ts'
import { buildPermittedWrite } from './permitted-write.ts'
import { buildStrangers } from './strangers.ts'

const NOW = Date.UTC(2027, 2, 1)
const REX = { name: 'Rex', categoryId: 7n, status: 'available' } as const

test('a key that is revoked after the check of its terms and before the transaction of its write adds nothing', async t => {
  const { key, id, create, store } = await start(t)
  await assert.rejects(
    create(key, () => revokeKey(adminContext(store, NOW), String(id))),
    (error: unknown) =>
      error instanceof Refusal && error.code === 'invalid_api_key' && /is revoked/.test(error.reason ?? ''),
  )
  assert.deepEqual((await store.listPets({ status: undefined, afterId: 0n, limit: 1 })).pets, [])
})

test('a key that is narrowed to reading at that moment is refused as such', async t => {
  const { key, id, create, store } = await start(t)
  await assert.rejects(
    create(key, () => changeKey(adminContext(store, NOW), String(id), { scope: 'read' })),
    (error: unknown) => error instanceof Refusal && error.code === 'insufficient_scope',
  )
})

test('a key whose terms change at that moment, but still permit the write, adds its animal once', async t => {
  const { key, id, create, store } = await start(t)
  const networks = [['192.0.2.0/24'], ['192.0.2.0/25', '2001:db8::/32'], ['192.0.2.7']]
  const creation = await create(key, async () => {
    const next = networks.shift()
    if (next) await changeKey(adminContext(store, NOW), String(id), { networks: next })
  })
  assert.equal(creation.outcome, 'created')
  assert.deepEqual(networks, [])
  assert.equal((await store.listPets({ status: undefined, afterId: 0n, limit: 9 })).pets.length, 1)
})

/** A key, and creations by it with an action between the check of its terms and the write. */
async function start(t: Parameters<typeof openStore>[0]) {
  const store = await openStore(t)
  await createAccount(adminContext(store, NOW), { name: 'acme', plan: 'free', limits: {} })
  const { key, id } = await issueKey(adminContext(store, NOW), { account: 'acme' })
  const clientAddress = () => parseAddress('192.0.2.7')
  const authentication = buildAuthentication(
    store,
    'production',
    clientAddress,
    buildStrangers(new MemoryAddressLimiter(1), clientAddress),
  )
  const permittedWrite = buildPermittedWrite(authentication, () => NOW)
  const create = (key: string, meanwhile: () => Promise<unknown>) =>
    permittedWrite(callWith(key), async terms => {
      await meanwhile()
      return store.createPet(REX, NOW, undefined, terms)
    })
  return { store, key, id, create }
}

function callWith(key: string): PublicCall {
  const authorization = `Bearer ${key}`
  const request = { headers: { authorization }, rawHeaders: ['Authorization', authorization] } as IncomingMessage
  return { request } as PublicCall
}
