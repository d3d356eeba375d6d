import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makePostgresPlace, type PostgresPlace } from '../../test/support/servers/postgres-stores.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { MAX_REFUSALS } from '../domain/refusals.ts'
import { createAccount, createKey, NOW } from '../domain/store-contract/fixtures.contract.ts'
import { refusedCall } from '../domain/store-contract/refusals.contract.ts'
import { RecentRefusals } from '../memory/recent-refusals.ts'
import { Pool } from './pool.ts'
import { addRefusals } from './refusals.ts'
import type { PostgresStore } from './store.ts'

test('of the refused calls on two instances, the newest 100 of each key are kept, whichever saves first', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const stores = [await place.open(), await place.open()] as const
  const keys = await makeKeys(stores[0], 5)
  const instances = stores.map(store => new RecentRefusals(store))
  const calls = 6 * MAX_REFUSALS
  for (let call = 0; call < calls; call += 1) {
    for (const keyId of keys) instances[call % 2]?.add(refusedCall({ keyId, calledAt: NOW + call }))
    // Both save the calls of the same keys, and delete older ones, at the same moment.
    if (call % 50 === 49) await Promise.all(instances.map(instance => instance.save()))
  }
  const newest = Array.from({ length: MAX_REFUSALS }, (_, index) => NOW + calls - 1 - index)
  for (const store of stores) {
    for (const keyId of keys) {
      assert.deepEqual(
        (await store.listRefusals({ keyId })).map(({ calledAt }) => calledAt),
        newest,
      )
    }
  }
  // The last to save sees all, unless both did so at once.
  await stores[0].addRefusals(keys.map(keyId => refusedCall({ keyId, calledAt: NOW + calls })))
  assert.deepEqual(
    await rowsOf(place),
    keys.map(keyId => ({ key: Number(keyId), rows: MAX_REFUSALS })),
  )
})

test('a batch that was stored although its answer was lost is there once', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const [keyId = 0n] = await makeKeys(store, 1)
  let isLost = true
  const refusals = new RecentRefusals({
    async addRefusals(calls) {
      await store.addRefusals(calls)
      if (isLost) throw new StoreUnavailable('The answer was lost.')
    },
  })
  for (let call = 0; call < 3; call += 1) {
    refusals.add(refusedCall({ keyId, path: `/${call}` }))
    await assert.rejects(refusals.save(), StoreUnavailable)
  }
  isLost = false
  await refusals.save()
  assert.deepEqual(
    (await store.listRefusals({ keyId })).map(({ path }) => path),
    ['/2', '/1', '/0'],
  )
})

test('an instance does not wait for another that hangs while it adds refused calls of the same keys', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const keys = await makeKeys(store, 2)
  const calls = keys.flatMap(keyId =>
    Array.from({ length: MAX_REFUSALS }, (_, call) => refusedCall({ keyId, calledAt: NOW + call })),
  )
  const later = calls.map(call => ({ ...call, sequence: 2 }))
  await store.addRefusals(calls)
  await poolFor(t, place).transaction(async ask => {
    await addRefusals({ query: ask }, later)
    await store.addRefusals(calls.map(call => ({ ...call, sequence: 3 })))
  })
  for (const keyId of keys) assert.equal((await store.listRefusals({ keyId })).length, MAX_REFUSALS)
  await store.addRefusals(later)
  assert.deepEqual(
    await rowsOf(place),
    keys.map(keyId => ({ key: Number(keyId), rows: MAX_REFUSALS })),
  )
})

async function makeKeys(store: PostgresStore, count: number): Promise<bigint[]> {
  const { id } = await createAccount(store, 'Acme')
  const keys: bigint[] = []
  for (let made = 0; made < count; made += 1) keys.push((await createKey(store, id)).key.id)
  return keys
}

function rowsOf(place: PostgresPlace) {
  return place.run('SELECT key_id::int AS key, count(*)::int AS rows FROM refusal GROUP BY key_id ORDER BY key_id')
}

function poolFor(t: TestContext, { url }: PostgresPlace): Pool {
  const pool = new Pool(url, { connections: 2, connectMs: 5_000, statementMs: 5_000, callMs: 10_000 })
  t.after(() => pool.close())
  return pool
}
