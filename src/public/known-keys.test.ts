import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreUnavailable } from '../domain/errors.ts'
import { KnownKeys } from './known-keys.ts'

/** A store's state of its keys: a revision, and the visible hashes. */
function keysOf(hashes: Map<bigint, string>) {
  const store = {
    callers: 1,
    reads: 0,
    isDown: false,
    revision: () => ({ callers: store.callers, corrections: 0, newestPetId: undefined }),
    async listKeyHashes({ afterId, limit }: { afterId: bigint; limit: number }) {
      store.reads += 1
      if (store.isDown) throw new StoreUnavailable('down')
      const page = [...hashes].filter(([id]) => id > afterId).toSorted(([one], [other]) => Number(one - other))
      await new Promise(setImmediate)
      return page.slice(0, limit).map(([id, hash]) => ({ id, hash }))
    },
  }
  return { store, keys: new KnownKeys(store) }
}

test('all keys are read once, and again only after a change', async () => {
  const hashes = new Map(Array.from({ length: 2_500 }, (_, index) => [BigInt(index + 1), `hash ${index + 1}`]))
  const { store, keys } = keysOf(hashes)
  const asked = Array.from({ length: 50 }, (_, index) => keys.mayHave(index % 2 === 0 ? 'made up' : 'hash 2500'))
  assert.deepEqual(new Set(await Promise.all(asked)), new Set([false, true]))
  assert.equal(store.reads, 3)
  hashes.set(2_501n, 'hash 2501')
  assert.equal(await keys.mayHave('hash 2501'), false)
  store.callers += 1
  assert.equal(await keys.mayHave('hash 2501'), true)
  assert.equal(await keys.mayHave('made up'), false)
  assert.equal(store.reads, 4)
})

test('a key that is created while keys are being read is known to the next call', async () => {
  const hashes = new Map([[1n, 'first']])
  const { store, keys } = keysOf(hashes)
  const early = keys.mayHave('second')
  while (store.reads === 0) await Promise.resolve()
  hashes.set(2n, 'second')
  store.callers += 1
  assert.equal(await keys.mayHave('second'), true)
  assert.equal(await early, false)
})

test('a key that becomes visible after a later one is still known', async () => {
  const hashes = new Map([[7n, 'later']])
  const { store, keys } = keysOf(hashes)
  assert.equal(await keys.mayHave('earlier'), false)
  hashes.set(6n, 'earlier')
  store.callers += 1
  assert.equal(await keys.mayHave('earlier'), true)
})

test('keys that could not be read are read by the next call', async () => {
  const { store, keys } = keysOf(new Map([[1n, 'first']]))
  store.isDown = true
  await assert.rejects(keys.mayHave('first'), StoreUnavailable)
  store.isDown = false
  assert.equal(await keys.mayHave('first'), true)
  keys.delete('first')
  assert.equal(await keys.mayHave('first'), false)
})
