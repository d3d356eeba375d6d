import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminContext } from '../../../test/support/admin-context.ts'
import { openStore } from '../../../test/support/store.ts'
import { usageOf } from '../../../test/support/usage.ts'
import type { CountsReading, RateLimiter } from '../rate-limiter.ts'
import { dayOf } from '../usage.ts'
import { createAccount, setPlan } from './accounts.ts'
import { readWindows } from './windows.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const MIDNIGHT = Date.UTC(2027, 2, 2)
const ENDS = NOW + 20_000
const FREE = { name: 'Acme', plan: 'free', limits: {} }

test('an account that has not called has all its calls left, in windows that have not begun', async t => {
  const store = await openStore(t)
  const acme = await createAccount(adminContext(store, NOW), FREE)
  const { minute, day } = await readWindows(store, acme, NOW)
  assert.deepEqual(minute, { limit: 60, used: 0, remaining: 60, resetsAt: undefined })
  assert.deepEqual(day, { limit: 1_000, used: 0, remaining: 1_000, resetsAt: undefined })
})

test('without a limiter, the windows are as they were last saved; those that are over are not shown', async t => {
  const store = await openStore(t)
  const acme = await createAccount(adminContext(store, NOW), FREE)
  const counts = { minute: { used: 12, resetsAt: ENDS }, day: { used: 345, resetsAt: MIDNIGHT } }
  await store.saveCounts([{ accountId: acme.id, counts }])
  const read = async (now: number) => {
    const { minute, day } = await readWindows(store, acme, now)
    return [minute.remaining, minute.resetsAt, day.remaining, day.resetsAt]
  }
  assert.deepEqual(await read(NOW), [48, ENDS, 655, MIDNIGHT])
  assert.deepEqual(await read(ENDS), [60, undefined, 655, MIDNIGHT])
  assert.deepEqual(await read(MIDNIGHT), [60, undefined, 1_000, undefined])
})

test('calls that exceed a smaller plan are shown, and nothing remains', async t => {
  const store = await openStore(t)
  const context = adminContext(store, NOW)
  await createAccount(context, FREE)
  const small = await setPlan(context, { account: 'Acme', plan: 'enterprise', limits: { perMinute: 5, perDay: 400 } })
  const limiter = reading({ counts: { minute: { used: 12, resetsAt: ENDS } }, readAt: NOW, isComplete: true })
  const { minute } = await readWindows(store, small, NOW, limiter)
  assert.deepEqual(minute, { limit: 5, used: 12, remaining: 0, resetsAt: ENDS })
})

test('the day has at least the calls of the usage, unless the limiter knows the calls of all instances', async t => {
  const store = await openStore(t)
  const acme = await createAccount(adminContext(store, NOW), FREE)
  await store.addUsage([
    usageOf({ day: dayOf(NOW), accountId: acme.id, keyId: 1n, admitted: 30 }),
    usageOf({ day: dayOf(NOW), accountId: acme.id, keyId: 2n, admitted: 12, refused: 5 }),
    usageOf({ day: dayOf(NOW) - 1, accountId: acme.id, admitted: 500 }),
  ])
  const counts = { day: { used: 40, resetsAt: MIDNIGHT } }
  const used = async (isComplete: boolean) =>
    (await readWindows(store, acme, NOW, reading({ counts, readAt: NOW, isComplete }))).day.used
  assert.equal(await used(false), 42)
  assert.equal(await used(true), 40)
  const { day } = await readWindows(store, acme, NOW)
  assert.deepEqual([day.used, day.remaining], [42, 958])
})

function reading(counts: CountsReading): RateLimiter {
  return {
    consume: () => assert.fail('no call'),
    read: async () => counts,
    save: async () => {},
  }
}
