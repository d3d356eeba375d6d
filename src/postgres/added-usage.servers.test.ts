import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { makePostgresPlace, type PostgresPlace } from '../../test/support/servers/postgres-stores.ts'
import type { Caller } from '../domain/account.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { createAccount, createKey, NOW } from '../domain/store-contract/fixtures.contract.ts'
import { usageOf } from '../domain/store-contract/usage.contract.ts'
import { DAY_HOURS, dayOf, daysFrom, type UsageQuery } from '../domain/usage.ts'
import { UsageTally } from '../memory/usage-tally.ts'
import { addUsage, foldUsage } from './added-usage.ts'
import { Pool } from './pool.ts'
import type { PostgresStore } from './store.ts'

const ONE_CALL = [usageOf({ admitted: 1 })]
const EVER = daysFrom(0, 99_999)
/** At least this many rows are folded. */
const ENOUGH = 1_000

/** Every table of usage is in one of them. */
const QUERIES: readonly UsageQuery[] = [EVER, { unit: 'hour' as const, first: 0, last: 99_999 * DAY_HOURS }].flatMap(
  range => [
    { range, by: [] },
    { range, by: [], accountId: 1n },
    { range, by: ['key'] },
  ],
)

async function admittedIn(store: PostgresStore, query: UsageQuery): Promise<number> {
  return (await store.sumUsage(query)).reduce((sum, { admitted }) => sum + admitted, 0)
}

async function assertAdmitted(store: PostgresStore, expected: number): Promise<void> {
  for (const query of QUERIES) assert.equal(await admittedIn(store, query), expected, JSON.stringify(query.by))
}

async function waitingRows(place: PostgresPlace): Promise<number> {
  const [row] = await place.run('SELECT count(*)::int AS waiting FROM added_usage')
  return Number(row?.waiting)
}

/** Usage of one call by each of many keys. */
function callsOf(keys: number) {
  return Array.from({ length: keys }, (_, index) => usageOf({ keyId: BigInt(index + 1), admitted: 1 }))
}

function poolFor(t: TestContext, { url }: PostgresPlace): Pool {
  const pool = new Pool(url, { connections: 2, connectMs: 5_000, statementMs: 5_000, callMs: 10_000 })
  t.after(() => pool.close())
  return pool
}

test('instances that add usage of the same account do not wait for each other, not even for one that hangs while it folds', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  await store.addUsage(ONE_CALL)
  await poolFor(t, place).transaction(async ask => {
    const other = { query: ask }
    await addUsage(other, ONE_CALL, { writer: randomUUID(), number: 1 })
    assert.equal(await foldUsage(other, 1), false)
    // The other transaction goes on: to wait for it would be an error.
    await store.addUsage(ONE_CALL)
    await store.addUsage(callsOf(ENOUGH))
    await store.foldUsage()
    await assertAdmitted(store, 2 + ENOUGH)
  })
  await assertAdmitted(store, 3 + ENOUGH)
})

test('all added usage is folded when it is asked for, however much there is', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  await store.addUsage(callsOf(11_000))
  await store.foldUsage({ all: true })
  assert.equal(await waitingRows(place), 0)
  await assertAdmitted(store, 11_000)
})

test('sums are exact at every moment while several instances add usage and fold it', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const stores = [await place.open(), await place.open(), await place.open()]
  const [reader] = stores as [PostgresStore]
  let [sent, added, isOver] = [0, 0, false]
  const writing = Promise.all(
    stores.map(async store => {
      for (let round = 0; round < 60; round += 1) {
        sent += 300
        await store.addUsage(callsOf(300))
        added += 300
        await store.foldUsage()
      }
    }),
  ).finally(() => {
    isOver = true
  })
  let reads = 0
  while (!isOver) {
    const atLeast = added
    const query = QUERIES[reads % QUERIES.length] as UsageQuery
    const sum = await admittedIn(reader, query)
    assert.ok(sum >= atLeast && sum <= sent, `${sum} of ${atLeast} to ${sent} by ${query.by.join()}`)
    reads += 1
  }
  await writing
  assert.ok(reads > 20, `${reads} reads`)
  assert.ok((await waitingRows(place)) < 3 * ENOUGH, 'most of it has been folded')
  await assertAdmitted(reader, sent)
  t.diagnostic(`${reads} sums`)
})

test('what an instance has added before it crashed is folded by another, whose own crash in the middle loses nothing', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const { id } = await createAccount(store, 'Acme')
  const { key } = await createKey(store, id)
  await store.addUsage([usageOf({ accountId: id, keyId: key.id, admitted: 1, operation: 'getPet' })])
  await store.deleteExpired(NOW, 0)
  // This instance is never heard of again.
  await (await place.open()).addUsage([
    ...callsOf(ENOUGH),
    usageOf({ accountId: id, keyId: key.id, admitted: 4, lastAt: NOW + 9, operation: 'getPet' }),
  ])
  const assertKept = async () => {
    await assertAdmitted(store, ENOUGH + 5)
    assert.equal((await store.findKey(key.id))?.lastUsedAt, NOW + 9)
    assert.equal((await store.listKeys({ unusedSince: NOW + 9, accountId: id })).length, 0)
    const { deprecatedCalls, lastDeprecatedCallAt } = (await store.findAccount(id)) ?? {}
    assert.deepEqual([deprecatedCalls, lastDeprecatedCallAt], [5, NOW + 9])
  }
  await assertKept()
  const release = await place.hold('SELECT FROM hourly_operation_usage FOR UPDATE')
  const crashing = assert.rejects((await place.open()).foldUsage(), StoreUnavailable)
  await eventually(async () => {
    const [folding] = await place.waiting()
    assert.ok(folding)
    await place.run(`SELECT pg_terminate_backend(${folding})`)
  })
  await crashing
  await release()
  assert.equal(await waitingRows(place), ENOUGH + 1)
  await assertKept()
  await store.foldUsage()
  assert.equal(await waitingRows(place), 0)
  await assertKept()
})

test('a batch of usage that is added again counts once, also when it has been folded, or arrives after the next one', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const [writer, other] = [randomUUID(), randomUUID()]
  await Promise.all([1, 1, 1].map(number => store.addUsage(ONE_CALL, { writer, number })))
  await assertAdmitted(store, 1)
  await store.deleteExpired(NOW, 0)
  assert.equal(await waitingRows(place), 0)
  await store.addUsage(ONE_CALL, { writer, number: 1 })
  await assertAdmitted(store, 1)
  await store.addUsage(ONE_CALL, { writer, number: 2 })
  await store.addUsage(ONE_CALL, { writer, number: 1 })
  await store.addUsage(ONE_CALL, { writer: other, number: 1 })
  await assertAdmitted(store, 3)
})

test('usage whose save was reported as failed although it was stored counts once, and so do the calls that followed', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  let isLost = true
  const tally = new UsageTally({
    async addUsage(usage, batch) {
      await store.addUsage(usage, batch)
      if (isLost) throw new StoreUnavailable('The answer was lost.')
    },
    foldUsage: () => store.foldUsage(),
  })
  const caller = { accountId: 1n, keyId: 1n } as Caller
  tally.add(caller, 'listPets', 'admitted', 200, NOW)
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await assert.rejects(tally.save(), StoreUnavailable)
    tally.add(caller, 'listPets', 'admitted', 200, NOW)
  }
  await assertAdmitted(store, 1)
  isLost = false
  await tally.save()
  await assertAdmitted(store, 4)
})

test('usage is folded in batches, as soon as there are enough rows, and all of it before old usage is deleted', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const foldTo = async (expected: number) => {
    await store.foldUsage()
    assert.equal(await waitingRows(place), expected)
  }
  await store.addUsage(callsOf(ENOUGH - 1))
  await foldTo(ENOUGH - 1)
  await store.addUsage(ONE_CALL)
  await foldTo(0)
  await store.addUsage(callsOf(12_000))
  await foldTo(7_000)
  await foldTo(2_000)
  await store.deleteExpired(NOW, dayOf(NOW))
  assert.equal(await waitingRows(place), 0)
  await assertAdmitted(store, ENOUGH + 12_000)
  await store.addUsage(ONE_CALL)
  await store.deleteExpired(NOW, dayOf(NOW) + 1)
  await assertAdmitted(store, 0)
})

test('an instance of 1.1.0 adds usage by key and day beside the others, and finds theirs there after they have stopped', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const add = (count: number) =>
    place.run(`INSERT INTO usage AS had VALUES (${dayOf(NOW)}, 1, 1, 'listPets', ${count}, 0, 0, 0, 0, 0, 0, ${NOW})
      ON CONFLICT (day, account_id, key_id, operation) DO UPDATE SET admitted = had.admitted + excluded.admitted`)
  const byKey: UsageQuery = { range: EVER, by: ['key'] }
  await add(1)
  await store.addUsage([usageOf({ admitted: 20 })])
  await add(300)
  assert.equal(await admittedIn(store, byKey), 321)
  const tally = new UsageTally(store)
  tally.add({ accountId: 1n, keyId: 1n } as Caller, 'listPets', 'admitted', 200, NOW)
  await tally.save({ isLast: true })
  assert.deepEqual(await place.run('SELECT admitted::int FROM usage'), [{ admitted: 322 }])
})

test('writers that are gone are forgotten after a day', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  await store.addUsage(ONE_CALL)
  await place.run("UPDATE usage_writer SET added_at = now() - interval '25 hours'")
  await store.addUsage(ONE_CALL)
  await store.deleteExpired(NOW, 0)
  assert.deepEqual(await place.run('SELECT count(*)::int AS writers FROM usage_writer'), [{ writers: 1 }])
})
