import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { adminContext } from '../../test/support/admin-context.ts'
import { openDatabase } from '../../test/support/database.ts'
import { eventually } from '../../test/support/eventually.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { createAccount } from '../domain/administration/accounts.ts'
import { confirmClock } from '../domain/administration/clock.ts'
import { ClockWatch } from '../domain/clock.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { usageOf } from '../domain/store-contract/usage.contract.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/time.ts'
import { dayOf, daysFrom, hourOf } from '../domain/usage.ts'
import { SqliteStore } from '../sqlite/store.ts'
import { Expiry } from './expiry.ts'

const NOW = Date.UTC(2027, 2, 1, 12)
const WRONG = NOW + 400 * DAY_MS
const USAGE_DAYS = 30

test('a clock that is 400 days ahead at the start deletes nothing, also at the next start', async t => {
  const { store, start, fill, holdings } = await prepare(t)
  await fill(NOW)
  await start(NOW).runFor(2)
  const before = await holdings()
  for (let restart = 0; restart < 2; restart++) {
    const wrong = start(WRONG + restart * HOUR_MS)
    await wrong.runFor(30)
    assert.deepEqual(wrong.events, ['in doubt'])
    // What is written meanwhile has wrong times, which confirm nothing.
    await fill(WRONG + restart * HOUR_MS, `of restart ${restart}`)
  }
  const after = await holdings()
  assert.deepEqual(before.keys, ['key'])
  assert.deepEqual(after.keys, ['key', 'of restart 0', 'of restart 1'])
  for (const day of before.days) assert.ok(after.days.includes(day), `usage of day ${day}`)

  const right = start(NOW + HOUR_MS)
  await right.runFor(2)
  assert.deepEqual(right.events, [])
  assert.equal((await store.createPet(PET, NOW + 2 * HOUR_MS, before.request)).outcome, 'replayed')
})

test('a service that was off for a month needs no hand: after an hour, expired data is deleted', async t => {
  const { start, fill, holdings } = await prepare(t)
  await fill(NOW)
  await start(NOW).runFor(2)
  const later = start(NOW + 40 * DAY_MS)
  await later.runFor(59)
  assert.equal((await holdings()).days.length, 1)
  await later.runFor(2)
  assert.deepEqual(later.events, ['in doubt', 'confirmed'])
  assert.deepEqual([(await holdings()).days, (await holdings()).keys], [[], []])
  const restarted = start(NOW + 40 * DAY_MS + 2 * HOUR_MS)
  await restarted.runFor(1)
  assert.deepEqual(restarted.events, [])
})

test('a clock that is set while the service runs is in doubt at the next check, and not once it is set right', async t => {
  const { start, fill, holdings } = await prepare(t)
  await fill(NOW)
  const run = start(NOW)
  await run.runFor(2)
  run.step(400 * DAY_MS)
  await run.runFor(10)
  run.step(-400 * DAY_MS)
  await run.runFor(2)
  assert.deepEqual(run.events, ['in doubt', 'confirmed'])
  assert.deepEqual([(await holdings()).days.length, (await holdings()).keys.length], [1, 1])
})

test('an operator can confirm the clock, which a running service notices at its next check', async t => {
  const { store, start, fill, holdings } = await prepare(t)
  await fill(NOW)
  await start(NOW).runFor(2)
  const later = start(NOW + 40 * DAY_MS)
  await later.runFor(2)
  await confirmClock(adminContext(store, NOW + 40 * DAY_MS + 2 * MINUTE_MS))
  await later.runFor(1)
  assert.deepEqual(later.events, ['in doubt', 'confirmed'])
  assert.deepEqual((await holdings()).days, [])
})

test('a clock that is behind deletes nothing that was in force, and does not lower the confirmed time at once', async t => {
  const { store, start, fill, holdings } = await prepare(t)
  await fill(NOW)
  await start(NOW).runFor(2)
  const behind = start(0)
  await behind.runFor(30)
  assert.deepEqual(behind.events, [])
  assert.ok(((await store.readClock()).confirmedAt ?? 0) >= NOW)
  assert.deepEqual([(await holdings()).days.length, (await holdings()).keys.length], [1, 1])
  const right = start(NOW + HOUR_MS)
  await right.runFor(1)
  assert.deepEqual(right.events, [], 'so the right time is not in doubt afterwards')
})

test('the clock of a new store is trusted, because there is nothing to lose, and is recorded at once', async t => {
  const { store, start } = await prepare(t)
  const run = start(NOW)
  await run.runFor(0)
  assert.deepEqual(run.events, [])
  await eventually(async () => assert.equal((await store.readClock()).confirmedAt, NOW))
})

test('a clock that is 400 days ahead deletes nothing either if the service ran for seconds before', async t => {
  const { start, fill, holdings } = await prepare(t)
  await start(NOW).runFor(0)
  await fill(NOW)
  const wrong = start(WRONG)
  await wrong.runFor(30)
  assert.deepEqual(wrong.events, ['in doubt'])
  assert.deepEqual([(await holdings()).days.length, (await holdings()).keys], [1, ['key']])
})

test('usage is kept for as many days as the setting says, including the current one', async t => {
  const { start, fill, holdings } = await prepare(t)
  for (const age of [0, USAGE_DAYS - 1, USAGE_DAYS]) await fill(NOW - age * DAY_MS, `${age} days ago`)
  await start(NOW).runFor(1)
  assert.deepEqual((await holdings()).days, [dayOf(NOW) - USAGE_DAYS + 1, dayOf(NOW)])
})

test('a clock whose confirmation cannot be recorded deletes nothing, and does not keep a service from starting', async t => {
  const { store, start, fill, holdings } = await prepare(t)
  const fail = () => Promise.reject(new StoreUnavailable('The disk is full.'))
  const { mock } = t.mock.method(store, 'confirmClock', fail)
  await start(NOW).runFor(0)
  mock.restore()
  await fill(NOW)
  await start(NOW).runFor(2)
  t.mock.method(store, 'confirmClock', fail)
  await assert.rejects(start(NOW + 40 * DAY_MS).runFor(61), StoreUnavailable)
  assert.deepEqual([(await holdings()).days.length, (await holdings()).keys], [1, ['key']])
})

const PET = { name: 'Rex', categoryId: 1n, status: 'available' } as const

async function prepare(t: TestContext) {
  const folder = await temporaryFolder(t)
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  t.after(() => store.close())
  const { id: accountId } = await createAccount(adminContext(store, NOW), { name: 'Acme', plan: 'free', limits: {} })
  const requestOf = (key: string) => ({ accountId, key, fingerprint: 'of a body' })
  return {
    store,
    /** Writes what is deleted for its age: an idempotency key and usage. */
    async fill(at: number, key = 'key') {
      await store.createPet(PET, at, requestOf(key))
      await store.addUsage([usageOf({ hour: hourOf(at), accountId, admitted: 1, lastAt: at })])
    },
    async holdings() {
      const usage = await store.sumUsage({ range: daysFrom(0, dayOf(WRONG) + 9), by: ['day'] })
      using database = openDatabase(folder)
      const keys = database.prepare('SELECT key FROM idempotent_creation ORDER BY created_at').all()
      return { days: usage.map(({ day }) => day), keys: keys.map(({ key }) => key), request: requestOf('key') }
    },
    /** Starts the deletions of a service whose clock shows this time. */
    start(wall: number) {
      const events: string[] = []
      let now = wall
      let steady = 0
      const expiry = new Expiry({
        store,
        usageDays: USAGE_DAYS,
        clock: new ClockWatch(),
        steadyNow: () => steady,
        watch: {
          clockInDoubt: () => void events.push('in doubt'),
          clockConfirmed: () => void events.push('confirmed'),
        },
      })
      let isStarted = false
      return {
        events,
        step(ms: number) {
          now += ms
        },
        async runFor(minutes: number) {
          if (!isStarted) await expiry.checkClock(now)
          isStarted = true
          for (let minute = 0; minute < minutes; minute++) {
            now += MINUTE_MS
            steady += MINUTE_MS
            await expiry.deleteExpired(now)
          }
        },
      }
    },
  }
}
