import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { adminContext } from '../../test/support/admin-context.ts'
import { openStore } from '../../test/support/store.ts'
import { createAccount } from '../domain/administration/accounts.ts'
import { type GivenTerms, issueKey, revokeKey } from '../domain/administration/keys.ts'
import type { Store } from '../domain/store.ts'
import { parseAddress } from '../http/address.ts'
import { Refusal } from '../http/refusal.ts'
import { buildAuthentication } from './authenticate.ts'

const NOW = Date.UTC(2027, 2, 1)
const fromNowhere = () => undefined

test('many calls at once with an unknown key look it up once', async t => {
  const store = await openStore(t)
  const { key, id } = await issueFirstKey(store)
  let lookups = 0
  const { authenticate } = buildAuthentication(
    afterLookups(store, async () => {
      lookups += 1
    }),
    'production',
    fromNowhere,
  )
  const callers = await Promise.all(Array.from({ length: 50 }, () => authenticate(requestWith(key), NOW)))
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
  const { authenticate } = buildAuthentication(slowAtFirst, 'production', fromNowhere)
  const early = authenticate(requestWith(key), NOW)
  await revokeKey(adminContext(store, NOW), String(id))
  assert.ok((await authenticate(requestWith(key), NOW)) instanceof Refusal)
  change()
  assert.ok(!((await early) instanceof Refusal), 'the early one was looked up before')
  assert.ok((await authenticate(requestWith(key), NOW)) instanceof Refusal, 'and that result is not remembered')
})

test('a key that is bound to networks does not work from an unknown address, even if it may call from any known one', async t => {
  const store = await openStore(t)
  const { key, id } = await issueFirstKey(store, { networks: ['0.0.0.0/0', '::/0'] })
  const refused = await buildAuthentication(store, 'production', fromNowhere).authenticate(requestWith(key), NOW)
  assert.ok(refused instanceof Refusal)
  const fromSomewhere = () => parseAddress('192.0.2.7')
  const caller = await buildAuthentication(store, 'production', fromSomewhere).authenticate(requestWith(key), NOW)
  assert.equal('keyId' in caller && caller.keyId, id)
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

function requestWith(key: string): IncomingMessage {
  const authorization = `Bearer ${key}`
  return { headers: { authorization }, rawHeaders: ['Authorization', authorization] } as unknown as IncomingMessage
}
