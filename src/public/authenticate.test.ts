import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { adminContext } from '../../test/support/admin-context.ts'
import { openStore } from '../../test/support/store.ts'
import { createAccount, deleteAccount } from '../domain/administration/accounts.ts'
import { type GivenTerms, issueKey, revokeKey } from '../domain/administration/keys.ts'
import { generateKey } from '../domain/api-key.ts'
import { hashSecret } from '../domain/secret.ts'
import type { Store } from '../domain/store.ts'
import { parseAddress } from '../http/address.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { Refusal } from '../http/refusal.ts'
import { MemoryAddressLimiter } from '../memory/address-limiter.ts'
import { buildAuthentication } from './authenticate.ts'
import { buildStrangers, type StrangerCall } from './strangers.ts'

const NOW = Date.UTC(2027, 2, 1)
const fromNowhere = () => undefined

test('many calls at once with an unknown key look it up once', async t => {
  const store = await openStore(t)
  const { key, id } = await issueFirstKey(store)
  let lookups = 0
  const { authenticate } = authenticationOf(
    afterLookups(store, async () => {
      lookups += 1
    }),
  )
  const callers = await Promise.all(Array.from({ length: 50 }, () => authenticate(callWith(key))))
  assert.equal(lookups, 1)
  for (const caller of callers) assert.equal('keyId' in caller && caller.keyId, id)
})

test('a call after a change does not get the result of an earlier lookup', async t => {
  const store = await openStore(t)
  const { key, id } = await issueFirstKey(store)
  const { promise: changed, resolve: change } = Promise.withResolvers<void>()
  let lookups = 0
  const slowAtFirst = afterLookups(store, () => {
    lookups += 1
    return lookups === 1 ? changed : undefined
  })
  const { authenticate } = authenticationOf(slowAtFirst)
  const early = authenticate(callWith(key))
  await revokeKey(adminContext(store, NOW), String(id))
  assert.ok((await authenticate(callWith(key))) instanceof Refusal)
  change()
  assert.ok(!((await early) instanceof Refusal), 'the early one was looked up before')
  assert.ok((await authenticate(callWith(key))) instanceof Refusal, 'and that result is not remembered')
})

test('a caller is looked up again once it may have changed, and no other caller is', async t => {
  const store = await openStore(t)
  const { key, id } = await issueFirstKey(store)
  const other = await issueKey(adminContext(store, NOW), { account: 'acme' })
  const lookups: string[] = []
  let changed = 0
  // As in a store that knows which callers have changed.
  const naming: Partial<Store> = {
    findCaller(hash) {
      lookups.push(hash)
      return store.findCaller(hash)
    },
    revision: () => ({ callers: changed, corrections: 0, newestPetId: 0n }),
    lastChangeOf: ({ keyId }) => (keyId === id ? changed : 0),
  }
  const { authenticate } = authenticationOf(naming as Store)
  const callBoth = async () => {
    for (const one of [key, other.key]) assert.ok(!((await authenticate(callWith(one))) instanceof Refusal))
  }
  for (const _ of Array(3)) await callBoth()
  assert.deepEqual(lookups.splice(0), [hashSecret(key), hashSecret(other.key)])
  changed += 1
  for (const _ of Array(3)) await callBoth()
  assert.deepEqual(lookups, [hashSecret(key)])
})

test('a key that is bound to networks does not work from an unknown address, even if it may call from any known one', async t => {
  const store = await openStore(t)
  const { key, id } = await issueFirstKey(store, { networks: ['0.0.0.0/0', '::/0'] })
  const refused = await authenticationOf(store).authenticate(callWith(key))
  assert.ok(refused instanceof Refusal)
  const fromSomewhere = () => parseAddress('192.0.2.7')
  const caller = await authenticationOf(store, fromSomewhere).authenticate(callWith(key))
  assert.equal('keyId' in caller && caller.keyId, id)
})

test('look-ups in progress never exceed the calls that their address has left, and a good key gives its place back', async t => {
  const store = await openStore(t)
  const { key, id } = await issueFirstKey(store)
  let [lookups, inProgress, most] = [0, 0, 0]
  const find = store.findCaller.bind(store)
  store.findCaller = async hash => {
    lookups += 1
    inProgress += 1
    most = Math.max(most, inProgress)
    await setImmediate()
    inProgress -= 1
    return find(hash)
  }
  const { authenticate } = authenticationOf(store, () => parseAddress('192.0.2.7'), 5)
  const caller = await authenticate(callWith(key))
  assert.equal('keyId' in caller && caller.keyId, id)

  const calls = Array.from({ length: 100 }, () => callWith(generateKey('production')))
  for (const refusal of await Promise.all(calls.map(authenticate))) assert.ok(refusal instanceof Refusal)
  assert.deepEqual([lookups, most], [6, 5])
  assert.equal(calls.filter(({ decision }) => decision?.outcome === 'admitted').length, 5)
  assert.equal(calls.filter(({ decision }) => decision?.outcome === 'refused').length, 95)

  await issueKey(adminContext(store, NOW), { account: 'acme' })
  assert.ok(!((await authenticate(callWith(key))) instanceof Refusal), 'a key in use is read again after a change')
  assert.equal(lookups, 7)
  await deleteAccount(adminContext(store, NOW), 'acme')
  for (const _ of Array(2)) assert.ok((await authenticate(callWith(key))) instanceof Refusal)
  assert.equal(lookups, 8, 'a key that is gone is no longer in use')
})

async function issueFirstKey(store: Store, given: GivenTerms = {}) {
  await createAccount(adminContext(store, NOW), { name: 'acme', plan: 'free', limits: {} })
  return issueKey(adminContext(store, NOW), { account: 'acme', ...given })
}

/** The same store, with an action between the lookup of a caller and its result. */
function afterLookups(store: Store, work: () => Promise<void> | undefined): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'findCaller') {
        return async (hash: string) => {
          const found = await target.findCaller(hash)
          await work()
          return found
        }
      }
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function authenticationOf(store: Store, clientAddress: ClientAddress = fromNowhere, allowance = 600) {
  const strangers = buildStrangers(new MemoryAddressLimiter(allowance), clientAddress)
  return buildAuthentication(store, 'production', clientAddress, strangers)
}

function callWith(key: string): StrangerCall {
  const authorization = `Bearer ${key}`
  const request = { headers: { authorization }, rawHeaders: ['Authorization', authorization] }
  return { request: request as unknown as IncomingMessage, now: NOW, decision: undefined, keyId: undefined }
}
