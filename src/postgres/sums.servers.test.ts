import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { noPostgres, startPostgres } from '../../test/support/servers/postgres.ts'
import { makePostgresPlace } from '../../test/support/servers/postgres-stores.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import type { Counts } from '../domain/rate-limiter.ts'
import { createAccount, NOW } from '../domain/store-contract/fixtures.contract.ts'
import { usageOf } from '../domain/store-contract/usage.contract.ts'
import { DAY_MS, MINUTE_MS } from '../domain/time.ts'
import { daysFrom } from '../domain/usage.ts'
import { COMMAND_CONNECT_MS, Connection } from './connection.ts'
import { PostgresStore } from './store.ts'

const minute = (used: number, resetsAt: number): Counts => ({ minute: { used, resetsAt } })
const day = (used: number, resetsAt: number): Counts => ({ day: { used, resetsAt } })
const SOON = NOW + MINUTE_MS
const MIDNIGHT = NOW + DAY_MS

/** The counts saved first, those saved then by another instance, and the expected result. */
const RULES: [sentence: string, first: Counts, then: Counts, kept: Counts][] = [
  ['of the same window the higher count is kept', minute(5, SOON), minute(3, SOON), minute(5, SOON)],
  ['and the higher one is taken', day(5, MIDNIGHT), day(7, MIDNIGHT), day(7, MIDNIGHT)],
  [
    'a newer window is taken, however few its calls',
    minute(50, SOON),
    minute(1, SOON + 90_000),
    minute(1, SOON + 90_000),
  ],
  ['also one that is newer by far', day(50, MIDNIGHT), day(1, MIDNIGHT + 9 * DAY_MS), day(1, MIDNIGHT + 9 * DAY_MS)],
  ['an older window that comes late is dropped', minute(2, SOON), minute(9, SOON - 2 * MINUTE_MS), minute(2, SOON)],
  ['a day that comes late too', day(2, MIDNIGHT), day(9, MIDNIGHT - 2 * DAY_MS), day(2, MIDNIGHT)],
  [
    'a window that a wrong clock has made gives way',
    minute(60, SOON + 2 * MINUTE_MS + 1),
    minute(3, SOON),
    minute(3, SOON),
  ],
  ['a day that a wrong clock has made, too', day(60, MIDNIGHT + 2 * DAY_MS + 1), day(3, MIDNIGHT), day(3, MIDNIGHT)],
  [
    'each window is for itself',
    { ...minute(9, SOON), ...day(4, MIDNIGHT) },
    { ...minute(2, SOON), ...day(6, MIDNIGHT) },
    { ...minute(9, SOON), ...day(6, MIDNIGHT) },
  ],
  [
    'a window of which nothing is said stays',
    minute(5, SOON),
    day(1, MIDNIGHT),
    { ...minute(5, SOON), ...day(1, MIDNIGHT) },
  ],
]

for (const [sentence, first, then, kept] of RULES) {
  test(`counts of several instances: ${sentence}`, async t => {
    const place = await makePostgresPlace(t)
    if (!place) return
    const [one, other] = [await place.open(), await place.open()]
    const { id: accountId } = await createAccount(one, 'Acme')
    await one.saveCounts([{ accountId, counts: first }])
    await other.saveCounts([{ accountId, counts: then }])
    assert.deepEqual(await one.findCounts(accountId), kept)
  })
}

test('the counts of many thousand accounts are saved together', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  await place.run(`INSERT INTO account (name, plan, per_minute, per_day, created_at)
    SELECT 'account ' || number, 'free', 60, 1000, 0 FROM generate_series(1, 12000) AS number`)
  const all = Array.from({ length: 12_000 }, (_, index) => ({
    accountId: BigInt(index + 1),
    counts: day(index, MIDNIGHT),
  }))
  await store.saveCounts(all)
  assert.equal((await store.listCounts(NOW)).length, 12_000)
  assert.deepEqual(await store.findCounts(12_000n), day(11_999, MIDNIGHT))
})

test('usage that is added again after the database hung counts once', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startPostgres()
  t.after(() => server.close())
  const store = await PostgresStore.open(server.url, 'production', { instances: 'many' })
  t.after(() => store.close())
  const usage = [usageOf({ accountId: 1n, keyId: 1n, admitted: 1 })]
  const batch = { writer: randomUUID(), number: 1 }
  await Promise.all(Array.from({ length: 5 }, () => store.findPet(1n)))
  const sessions = async () => {
    const client = await new Connection(server.url, { connectMs: COMMAND_CONNECT_MS, statementMs: 0 }).open()
    const text = "SELECT pid FROM pg_stat_activity WHERE application_name = 'petstore' AND pid <> pg_backend_pid()"
    const { rows } = await client.query(text)
    await client.close()
    return rows.map(({ pid }) => Number(pid))
  }
  const before = await sessions()
  await server.signal('SIGSTOP')
  await Promise.all(Array.from({ length: 3 }, () => assert.rejects(store.addUsage(usage, batch), StoreUnavailable)))
  await server.signal('SIGCONT')
  // The server processes what it was sent in the meantime, and then notices that no client is waiting.
  await eventually(async () => {
    const left = await sessions()
    assert.ok(before.filter(pid => !left.includes(pid)).length >= 3)
  })
  await eventually(() => store.addUsage(usage, batch))
  const [sum] = await store.sumUsage({ range: daysFrom(0, 99_999), by: [] })
  assert.equal(sum?.admitted, 1)
})
