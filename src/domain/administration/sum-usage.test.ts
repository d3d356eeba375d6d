import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../test/support/store.ts'
import { usageOf } from '../../../test/support/usage.ts'
import { HOUR_MS } from '../time.ts'
import { DAY_HOURS, dayOf, daysFrom, HOURLY_USAGE_DAYS, hourOf, type UsageRange } from '../usage.ts'
import { CALL_STATUSES, sumUsage, type UsageRequest } from './sum-usage.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 30)
const [TODAY, HOUR] = [dayOf(NOW), hourOf(NOW)]
const hoursFrom = (first: number, last: number): UsageRange => ({ unit: 'hour', first, last })

test('days without calls are added on request, up to today', async t => {
  const { sums } = await start(t, [usageOf({ day: TODAY - 3, admitted: 2 }), usageOf({ day: TODAY - 1, admitted: 5 })])
  const admitted = async (range: UsageRange, fill: boolean) =>
    (await sums({ range, by: ['day'], fill })).map(({ day = 0, admitted }) => [day - TODAY, admitted])
  assert.deepEqual(await admitted(daysFrom(TODAY - 4, TODAY), false), [
    [-3, 2],
    [-1, 5],
  ])
  const filled = [
    [-4, 0],
    [-3, 2],
    [-2, 0],
    [-1, 5],
    [0, 0],
  ]
  assert.deepEqual(await admitted(daysFrom(TODAY - 4, TODAY), true), filled)
  assert.deepEqual(await admitted(daysFrom(TODAY - 4, TODAY + 9), true), filled)
  assert.deepEqual(await admitted(daysFrom(TODAY + 1, TODAY + 9), true), [])
})

test('a range without any calls is filled with zeros, and has no last call', async t => {
  const { sums } = await start(t, [])
  const [hour, ...others] = await sums({ range: hoursFrom(HOUR - 2, HOUR), by: ['hour'], fill: true })
  assert.deepEqual([hour?.hour, hour?.admitted, hour?.status5xx, hour?.lastAt], [HOUR - 2, 0, 0, undefined])
  assert.equal(others.length, 2)
  assert.deepEqual(await sums({ range: hoursFrom(HOUR - 2, HOUR), by: ['hour', 'account'], fill: true }), [])
  assert.deepEqual(await sums({ range: hoursFrom(HOUR - 2, HOUR), by: ['operation'], fill: true }), [])
})

test('hours that are no longer kept are not shown as hours without calls', async t => {
  const { sums } = await start(t, [usageOf({ day: TODAY, admitted: 1 })])
  const all = hoursFrom((TODAY - 400) * DAY_HOURS, HOUR)
  const filled = await sums({ range: all, by: ['hour'], fill: true })
  assert.deepEqual([filled[0]?.hour, filled.at(-1)?.hour], [(TODAY - HOURLY_USAGE_DAYS + 1) * DAY_HOURS, HOUR])
  assert.equal(filled.filter(({ admitted }) => admitted > 0).length, 1)
  const days = await sums({ range: all, by: ['day'], fill: true })
  assert.equal(days.length, HOURLY_USAGE_DAYS, 'nor are their days')
})

test('calls older than those that are kept are shown until they are deleted', async t => {
  const old = TODAY - HOURLY_USAGE_DAYS - 1
  const { sums } = await start(t, [usageOf({ day: old, admitted: 1 }), usageOf({ day: TODAY + 1, admitted: 2 })])
  const range = hoursFrom((old - 1) * DAY_HOURS, HOUR + 100)
  const filled = await sums({ range, by: ['hour'], fill: true })
  assert.deepEqual([filled[0]?.hour, filled[0]?.admitted], [old * DAY_HOURS, 1])
  assert.deepEqual([filled.at(-1)?.hour, filled.at(-1)?.admitted], [(TODAY + 1) * DAY_HOURS, 2], 'of a faster clock')
})

test('each series is filled, and the sums keep their order', async t => {
  const { sums } = await start(t, [
    usageOf({ day: TODAY, operation: 'listPets', admitted: 1 }),
    usageOf({ day: TODAY - 1, operation: 'getPet', admitted: 2 }),
  ])
  const series = async (...by: UsageRequest['by']) =>
    (await sums({ range: daysFrom(TODAY - 1, TODAY), by, fill: true })).map(
      ({ day = 0, operation, admitted }) => `${day - TODAY} ${operation} ${admitted}`,
    )
  assert.deepEqual(await series('day', 'operation'), ['-1 getPet 2', '-1 listPets 0', '0 getPet 0', '0 listPets 1'])
  assert.deepEqual(await series('operation', 'day'), ['-1 getPet 2', '0 getPet 0', '-1 listPets 0', '0 listPets 1'])
})

test('hours keep the day that they are grouped by, and the names of what they belong to', async t => {
  const { sums } = await start(t, [usageOf({ day: TODAY, admitted: 1 })])
  const filled = await sums({ range: hoursFrom(HOUR - 1, HOUR), by: ['day', 'hour', 'account', 'key'], fill: true })
  assert.deepEqual(filled, [])
  const known = await sums({ range: hoursFrom(HOUR - 13, HOUR), by: ['day', 'hour', 'account', 'key'], fill: true })
  assert.equal(known.length, 14)
  for (const { day, hour = 0, accountId, keyId } of known) {
    assert.deepEqual([day, accountId, keyId], [Math.floor(hour / DAY_HOURS), 1n, 1n])
  }
})

test('grouped by status, every call is counted once, and only under what became of it', async t => {
  const counts = { admitted: 21, refused: 6, banned: 7, status2xx: 5, status3xx: 4, status4xx: 3, status5xx: 2 }
  const { sums } = await start(t, [usageOf({ day: TODAY, ...counts }), usageOf({ day: TODAY - 1, admitted: 1 })])
  const range = daysFrom(TODAY - 1, TODAY)
  const today = (await sums({ range, by: ['status', 'day'] })).filter(({ day }) => day === TODAY)
  assert.deepEqual(
    today.map(({ status, admitted, refused, banned, status4xx, lastAt }) => [
      status,
      admitted,
      refused,
      banned,
      status4xx,
      lastAt,
    ]),
    [
      ['2xx', 5, 0, 0, 0, undefined],
      ['3xx', 4, 0, 0, 0, undefined],
      ['4xx', 3, 0, 0, 3, undefined],
      ['5xx', 2, 0, 0, 0, undefined],
      ['none', 7, 0, 0, 0, undefined],
      ['refused', 0, 6, 0, 0, undefined],
      ['banned', 0, 0, 7, 0, undefined],
    ],
  )
  assert.deepEqual(
    (await sums({ range, by: ['day', 'status'] })).map(({ status }) => status),
    ['none', ...CALL_STATUSES],
  )
  const filled = await sums({ range: daysFrom(TODAY - 2, TODAY), by: ['status', 'day'], fill: true })
  assert.equal(filled.length, 3 * CALL_STATUSES.length)
})

test('the top sums come first, and nothing without calls is among them', async t => {
  const { sums } = await start(t, [
    usageOf({ day: TODAY - 2, accountId: 1n, admitted: 5, status2xx: 3, status4xx: 2 }),
    usageOf({ day: TODAY - 1, accountId: 2n, admitted: 2, refused: 4, banned: 1 }),
    usageOf({ day: TODAY, accountId: 3n, admitted: 5, status2xx: 5 }),
    usageOf({ day: TODAY, accountId: 4n, admitted: 1 }),
  ])
  const range = daysFrom(TODAY - 9, TODAY)
  const top = async (count: number, limit?: number) =>
    (await sums({ range, by: ['account'], top: count, fill: true }, limit)).map(({ accountId }) => accountId)
  assert.deepEqual(await top(3), [2n, 1n, 3n])
  assert.deepEqual(await top(2, 2), [2n, 1n], 'a limit does not matter')
  assert.equal((await sums({ range, by: ['day'], top: 9, fill: true })).length, 3)
  const [first, second] = await sums({ range, by: ['account', 'status'], top: 2 })
  assert.deepEqual([first?.accountId, first?.status, second?.accountId, second?.status], [3n, '2xx', 2n, 'refused'])
})

test('more sums than the limit are refused, whether they are found, split or filled', async t => {
  const { sums } = await start(t, [usageOf({ day: TODAY, admitted: 2, status2xx: 1, refused: 1 })])
  const tooMany = { name: 'UserError', message: /more than 2 sums; choose a shorter time/ }
  await assert.rejects(sums({ range: daysFrom(TODAY, TODAY), by: ['status'] }, 2), tooMany)
  await assert.rejects(sums({ range: daysFrom(TODAY - 2, TODAY), by: ['day'], fill: true }, 2), tooMany)
  await assert.rejects(sums({ range: daysFrom(-1e12, TODAY), by: ['day'], fill: true }, 2), tooMany)
  assert.equal((await sums({ range: daysFrom(TODAY - 1, TODAY), by: ['day'], fill: true }, 2)).length, 2)
})

async function start(t: Parameters<typeof openStore>[0], usage: ReturnType<typeof usageOf>[]) {
  const store = await openStore(t)
  await store.addUsage(usage.map(one => ({ ...one, lastAt: one.hour * HOUR_MS })))
  return { sums: (request: UsageRequest, limit?: number) => sumUsage(store, request, NOW, { ...(limit && { limit }) }) }
}
