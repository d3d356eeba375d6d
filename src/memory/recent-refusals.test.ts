import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openDatabase } from '../../test/support/database.ts'
import { lockWrites } from '../../test/support/write-lock.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { MAX_REFUSALS, type RefusedCall } from '../domain/refusals.ts'
import { createAccount, createKey, NOW } from '../domain/store-contract/fixtures.contract.ts'
import { refusedCall } from '../domain/store-contract/refusals.contract.ts'
import { SqliteStore } from '../sqlite/store.ts'
import { RecentRefusals } from './recent-refusals.ts'

/** In one batch, and so in memory. */
const MAX_CALLS = 1_000

test('the newest calls of each key are stored when they are saved, in their order, and not twice', async t => {
  const { store, keys, folder } = await openStore(t, 2)
  const [one = 0n, other = 0n] = keys
  const refusals = new RecentRefusals(store)
  for (let call = 0; call < 3; call += 1) refusals.add(refusedCall({ keyId: one, path: `/${call}` }))
  refusals.add(refusedCall({ keyId: other, userAgent: undefined }))
  assert.deepEqual(await store.listRefusals({ keyId: one }), [])
  await refusals.save()
  await refusals.save()
  const paths = async (keyId: bigint) => (await store.listRefusals({ keyId })).map(({ path }) => path)
  assert.deepEqual(await paths(one), ['/2', '/1', '/0'])
  assert.equal((await paths(other)).length, 1)
  for (let call = 3; call < 500; call += 1) refusals.add(refusedCall({ keyId: one, path: `/${call}` }))
  await refusals.save()
  assert.deepEqual(
    await paths(one),
    Array.from({ length: MAX_REFUSALS }, (_, index) => `/${499 - index}`),
  )
  using database = openDatabase(folder)
  const stored = database.prepare('SELECT count(*) AS calls FROM refusal').get()
  assert.equal(stored?.calls, MAX_REFUSALS + 1, 'older ones are deleted')
})

test('a flood of 100,000 calls with one key is one batch of 100 calls for each save', async () => {
  const { refusals, batches } = collect()
  for (let call = 0; call < 100_000; call += 1) {
    refusals.add(refusedCall({ calledAt: NOW + call }))
    if (call % 50_000 === 49_999) await refusals.save()
  }
  assert.deepEqual(
    batches.map(batch => [batch.length, batch[0]?.calledAt]),
    [
      [MAX_REFUSALS, NOW + 50_000 - MAX_REFUSALS],
      [MAX_REFUSALS, NOW + 100_000 - MAX_REFUSALS],
    ],
  )
})

test('a flood with some keys leaves room for the calls of others', async () => {
  const { refusals, batches } = collect()
  const quiet = refusedCall({ keyId: 1n })
  refusals.add(quiet)
  for (let call = 0; call < 20_000; call += 1)
    refusals.add(refusedCall({ keyId: BigInt(2 + (call % 40)), calledAt: NOW + call }))
  await refusals.save()
  const [batch = []] = batches
  assert.ok(batch.length <= MAX_CALLS)
  const countOf = (keyId: bigint) => batch.filter(call => call.keyId === keyId).length
  assert.equal(countOf(1n), 1)
  for (let keyId = 2n; keyId < 42n; keyId += 1n) assert.ok(countOf(keyId) >= 10, `${countOf(keyId)}`)
  for (const call of batch.slice(1)) assert.ok(call.calledAt >= NOW + 19_000)
})

test('of 100,000 keys, the newest are kept, each with its newest call; the next save has room for all again', async () => {
  const { refusals, batches } = collect()
  for (let call = 0; call < 300_000; call += 1) {
    refusals.add(refusedCall({ keyId: BigInt(1 + Math.floor(call / 3)), calledAt: NOW + call }))
  }
  await refusals.save()
  assert.deepEqual(
    batches[0]?.map(({ calledAt }) => calledAt - NOW),
    Array.from({ length: MAX_CALLS }, (_, index) => 300_000 - 3 * (MAX_CALLS - index) + 2),
  )
  for (let call = 0; call < MAX_REFUSALS; call += 1) refusals.add(refusedCall())
  await refusals.save()
  assert.equal(batches[1]?.length, MAX_REFUSALS)
})

test('calls that cannot be stored are stored later, once, with those that followed, and take no more memory', async t => {
  const { store, keys, folder } = await openStore(t, 1)
  const keyId = keys[0] as bigint
  const refusals = new RecentRefusals(store)
  refusals.add(refusedCall({ keyId, path: '/first' }))
  const unlock = await lockWrites(folder)
  const failing = assert.rejects(refusals.save(), StoreUnavailable)
  refusals.add(refusedCall({ keyId, path: '/second' }))
  await failing
  await assert.rejects(refusals.save(), StoreUnavailable)
  await unlock()
  await refusals.save()
  assert.deepEqual(
    (await store.listRefusals({ keyId })).map(({ path }) => path),
    ['/second', '/first'],
  )
})

test('a batch whose outcome is unknown is stored again as it was', async () => {
  const batches: (readonly RefusedCall[])[] = []
  const refusals = new RecentRefusals({
    async addRefusals(calls) {
      batches.push(calls)
      if (batches.length === 1) throw new StoreUnavailable('The answer was lost.')
    },
  })
  refusals.add(refusedCall())
  await assert.rejects(refusals.save(), StoreUnavailable)
  refusals.add(refusedCall())
  await refusals.save()
  assert.equal(batches.length, 3)
  assert.deepEqual(batches[1], batches[0])
  assert.notEqual(batches[2]?.[0]?.sequence, batches[0]?.[0]?.sequence)
})

test('a user agent is shown as UTF-8 if its bytes are, and otherwise as Latin-1', async () => {
  const { refusals, batches } = collect()
  for (const bytes of [Buffer.from('Žofie/1 “pets”'), Buffer.from('caf\xe9/2', 'latin1')]) {
    refusals.add(refusedCall({ userAgent: bytes.toString('latin1') }))
  }
  await refusals.save()
  assert.deepEqual(
    batches[0]?.map(({ userAgent }) => userAgent),
    ['Žofie/1 “pets”', 'café/2'],
  )
})

function collect() {
  const batches: (readonly RefusedCall[])[] = []
  const refusals = new RecentRefusals({ addRefusals: async calls => void batches.push(calls) })
  return { refusals, batches }
}

async function openStore(t: TestContext, keyCount: number) {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-refusals-'))
  const store = await SqliteStore.open(folder, 'production', { inThreads: false, busyTimeoutMs: 100 })
  t.after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  const { id } = await createAccount(store, 'Acme')
  const keys: bigint[] = []
  for (let made = 0; made < keyCount; made += 1) keys.push((await createKey(store, id)).key.id)
  return { folder, store, keys }
}
