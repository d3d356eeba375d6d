import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { adminContext } from '../../test/support/admin-context.ts'
import { lockWrites } from '../../test/support/write-lock.ts'
import type { Caller } from '../domain/account.ts'
import { createAccount } from '../domain/administration/accounts.ts'
import { issueKey } from '../domain/administration/keys.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { hashSecret } from '../domain/secret.ts'
import { dayOf, hourOf, USAGE_DIMENSIONS, type UsageQuery, type UsageSum } from '../domain/usage.ts'
import { SqliteStore, type SqliteStoreOptions } from '../sqlite/store.ts'
import { UsageTally } from './usage-tally.ts'

const NOON = Date.UTC(2027, 2, 1, 12)
const MIDNIGHT = Date.UTC(2027, 2, 2)

test('nothing is stored before it is saved, and nothing is stored twice', async t => {
  const { tally, caller, stored } = await start(t)
  tally.add(caller, 'listPets', 'admitted', 200, NOON)
  tally.add(caller, 'listPets', 'admitted', 304, NOON + 5)
  assert.deepEqual(await stored(), [])
  await tally.save()
  const saved = await stored()
  assert.deepEqual(
    saved.map(({ admitted, status2xx, status3xx, lastAt }) => [admitted, status2xx, status3xx, lastAt]),
    [[2, 1, 1, NOON + 5]],
  )
  await tally.save()
  assert.deepEqual(await stored(), saved)
  tally.add(caller, 'listPets', 'admitted', 200, NOON + 1)
  await tally.save()
  assert.deepEqual(
    (await stored()).map(({ admitted, lastAt }) => [admitted, lastAt]),
    [[3, NOON + 5]],
  )
})

test('calls are counted by class of status, and not at all if the client disconnected', async t => {
  const { tally, caller, stored } = await start(t)
  for (const status of [200, 299, 300, 304, 400, 404, 499, 500, 503, undefined]) {
    tally.add(caller, 'createPet', 'admitted', status, NOON)
  }
  tally.add(caller, 'createPet', 'refused', 429, NOON)
  tally.add(caller, 'createPet', 'banned', 429, NOON)
  await tally.save()
  const [sum] = await stored()
  const { admitted, refused, banned, status2xx, status3xx, status4xx, status5xx } = sum as UsageSum
  assert.deepEqual([admitted, refused, banned], [10, 1, 1])
  assert.deepEqual([status2xx, status3xx, status4xx, status5xx], [2, 2, 3, 2])
})

test('a call belongs to the day on which it came, even if the clock is set back', async t => {
  const { tally, caller, stored } = await start(t)
  tally.add(caller, 'listPets', 'admitted', 200, MIDNIGHT - 1)
  tally.add(caller, 'listPets', 'admitted', 200, MIDNIGHT)
  tally.add(caller, 'listPets', 'admitted', 200, MIDNIGHT - 2)
  tally.add(caller, 'listPets', 'admitted', 200, MIDNIGHT + 1)
  await tally.save()
  assert.deepEqual(
    (await stored()).map(({ day, admitted, lastAt }) => [day, admitted, lastAt]),
    [
      [dayOf(NOON), 2, MIDNIGHT - 1],
      [dayOf(NOON) + 1, 2, MIDNIGHT + 1],
    ],
  )
})

test('the last call is the newest one, whichever is recorded last', async t => {
  const { store, tally, caller } = await start(t)
  tally.add(caller, 'listPets', 'admitted', 200, NOON + 1, '192.0.2.1')
  tally.add(caller, 'listPets', 'admitted', 200, NOON, '192.0.2.2')
  await tally.save()
  const key = await store.findKey(caller.keyId)
  assert.deepEqual([key?.lastUsedAt, key?.lastUsedFrom], [NOON + 1, '192.0.2.1'])
})

test('usage that cannot be saved is kept, and saved together with newer usage', async t => {
  const { tally, caller, stored, folder } = await start(t, { busyTimeoutMs: 100 })
  tally.add(caller, 'listPets', 'admitted', 200, NOON)
  tally.add(caller, 'getPet', 'admitted', 404, NOON)
  const release = await lockWrites(folder)
  const failing = assert.rejects(tally.save(), StoreUnavailable)
  tally.add(caller, 'listPets', 'admitted', 200, NOON + 1)
  await failing
  tally.add(caller, 'listPets', 'refused', 429, NOON + 2)
  await release()
  assert.deepEqual(await stored(), [])
  await tally.save()
  assert.deepEqual(
    (await stored()).map(({ operation, admitted, refused, lastAt }) => [operation, admitted, refused, lastAt]),
    [
      ['getPet', 1, 0, NOON],
      ['listPets', 2, 1, NOON + 2],
    ],
  )
})

test('more rows than fit into one batch are all saved', async t => {
  const { tally, caller, stored } = await start(t)
  for (let key = 1n; key <= 2_500n; key += 1n) {
    tally.add({ ...caller, keyId: key }, 'listPets', 'admitted', 200, NOON)
  }
  await tally.save()
  const sums = await stored()
  assert.equal(sums.length, 2_500)
  assert.ok(sums.every(({ admitted }) => admitted === 1))
})

test('usage is folded after it has been stored, and when a service stops; an idle service does not ask for it', async t => {
  const { caller } = await start(t)
  const folds: unknown[] = []
  const tally = new UsageTally({ addUsage: async () => {}, foldUsage: async options => void folds.push(options) })
  await tally.save()
  assert.deepEqual(folds, [])
  tally.add(caller, 'listPets', 'admitted', 200, NOON)
  await tally.save()
  await tally.save()
  assert.deepEqual(folds, [{ all: false }])
  await tally.save({ isLast: true })
  assert.deepEqual(folds, [{ all: false }, { all: true }])
})

test('a batch that could not be stored keeps its number; every other batch has a higher one', async t => {
  const { caller } = await start(t)
  const numbers: number[] = []
  const tally = new UsageTally({
    async addUsage(_, batch) {
      numbers.push(batch?.number ?? 0)
      if (numbers.length === 2) throw new StoreUnavailable('the disk is full')
    },
    async foldUsage() {},
  })
  const saveOne = () => {
    tally.add(caller, 'listPets', 'admitted', 200, NOON)
    return tally.save()
  }
  await saveOne()
  await assert.rejects(saveOne(), StoreUnavailable)
  await saveOne()
  const [first = 0, failed = 0, again = 0, last = 0] = numbers
  assert.equal(numbers.length, 4)
  assert.equal(again, failed)
  assert.ok(first < failed && again < last, numbers.join(' '))
})

test('calls counted during a save are in the next one', async t => {
  const { tally, caller, stored } = await start(t)
  tally.add(caller, 'listPets', 'admitted', 200, NOON)
  const saving = tally.save()
  tally.add(caller, 'listPets', 'admitted', 200, NOON)
  await saving
  await tally.save()
  assert.deepEqual(
    (await stored()).map(({ admitted }) => admitted),
    [2],
  )
})

async function start(t: TestContext, options?: SqliteStoreOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-usage-'))
  const store = await SqliteStore.open(folder, 'production', { inThreads: false, ...options })
  t.after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  const operator = adminContext(store, NOON)
  await createAccount(operator, { name: 'Acme', plan: 'free', limits: {} })
  const { key } = await issueKey(operator, { account: 'Acme' })
  const caller = (await store.findCaller(hashSecret(key))) as Caller
  const query: UsageQuery = {
    range: { unit: 'hour', first: hourOf(NOON), last: hourOf(NOON) + 24 },
    by: USAGE_DIMENSIONS,
  }
  return { folder, store, caller, tally: new UsageTally(store), stored: () => store.sumUsage(query) }
}
