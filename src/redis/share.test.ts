import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Limits } from '../domain/plan.ts'
import type { Counts } from '../domain/rate-limiter.ts'
import { MINUTE_MS } from '../domain/time.ts'
import {
  markReported,
  oneCall,
  removeRejected,
  renewShare,
  reseedShare,
  type Share,
  shareOf,
  spendShare,
  unmarkReported,
  unreportedOf,
  windowsOfShare,
  withoutExpired,
} from './share.ts'

const NOON = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const MIDNIGHT = Date.UTC(2027, 2, 2)
const FREE: Limits = { perMinute: 60, perDay: 1_000 }

function known(minuteUsed: number, dayUsed: number): Counts {
  return { minute: { used: minuteUsed, resetsAt: NOON + 30_000 }, day: { used: dayUsed, resetsAt: MIDNIGHT } }
}

test('the rest of each window is divided among the instances', () => {
  assert.deepEqual(shareOf(FREE, {}, 3, NOON), { perMinute: 20, perDay: 333 })
  assert.deepEqual(shareOf(FREE, known(30, 400), 3, NOON), { perMinute: 40, perDay: 600 })
  assert.deepEqual(shareOf(FREE, known(30, 400), 1, NOON), FREE)
})

test('a window that is over counts as unused', () => {
  assert.deepEqual(shareOf(FREE, known(30, 400), 3, NOON + 30_000), { perMinute: 20, perDay: 600 })
})

test('if fewer calls are left than instances, each has one; if none are left, none', () => {
  assert.deepEqual(shareOf(FREE, known(58, 999), 3, NOON), { perMinute: 59, perDay: 1_000 })
  assert.deepEqual(shareOf(FREE, known(60, 1_000), 3, NOON), FREE)
  assert.deepEqual(shareOf({ perMinute: 10, perDay: 10 }, known(60, 1_000), 3, NOON), { perMinute: 60, perDay: 1_000 })
  assert.deepEqual(shareOf(FREE, {}, 1_000, NOON), { perMinute: 1, perDay: 1 })
})

test('instances with the same counts together admit the calls that were left, or one each', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.integer({ min: 0, max: 2_000 }),
      fc.integer({ min: 1, max: 50 }),
      (perMinute, used, instances) => {
        const limits = { perMinute, perDay: 1_000_000_000 }
        const before = known(used, used)
        let admitted = 0
        for (let instance = 0; instance < instances; instance += 1) {
          let share: Share = {}
          for (;;) {
            const spent = spendShare(share, before, limits, instances, NOON)
            share = spent.share
            if (!spent.admitted) break
            admitted += 1
          }
        }
        const left = Math.max(0, perMinute - used)
        assert.ok(admitted <= Math.max(left, left > 0 ? instances : 0), `${admitted} of ${left}`)
        assert.ok(admitted > left - instances, `${admitted} of ${left}`)
      },
    ),
  )
})

test('a share begins with the known counts, shows the account’s limits, and refuses beyond its part', () => {
  const first = spendShare({}, known(30, 400), FREE, 3, NOON)
  assert.deepEqual(
    first.decision.windows.map(({ name, limit, remaining, resetsAt }) => [name, limit, remaining, resetsAt]),
    [
      ['minute', 60, 9, NOON + 30_000],
      ['day', 1_000, 199, MIDNIGHT],
    ],
  )
  assert.equal(first.decision.shown.name, 'minute')
  let share = first.share
  const outcomes: string[] = []
  for (let call = 0; call < 11; call += 1) {
    const spent = spendShare(share, known(30, 400), FREE, 3, NOON + call)
    share = spent.share
    outcomes.push(`${spent.decision.outcome} ${spent.decision.shown.remaining}`)
  }
  assert.deepEqual(outcomes.slice(7), ['admitted 1', 'admitted 0', 'refused 0', 'refused 0'])
  assert.deepEqual(
    windowsOfShare(share, {}, FREE, 3, NOON).map(({ limit, remaining }) => [limit, remaining]),
    [
      [60, 0],
      [1_000, 190],
    ],
  )
})

test('a minute that begins without Redis has a share of the whole limit, and the day continues', () => {
  const { share } = spendShare({}, known(60, 400), FREE, 3, NOON)
  const { decision } = spendShare(share, known(60, 400), FREE, 3, NOON + MINUTE_MS)
  assert.deepEqual(
    decision.windows.map(({ remaining, resetsAt }) => [remaining, resetsAt]),
    [
      [19, NOON + 2 * MINUTE_MS],
      [199, MIDNIGHT],
    ],
  )
})

test('counts learned later do not change a share that has begun', () => {
  const { share } = spendShare({}, known(30, 400), FREE, 3, NOON)
  assert.deepEqual(
    spendShare(share, known(50, 420), FREE, 3, NOON).decision.windows.map(one => one.remaining),
    [8, 198],
  )
})

test('admitted calls are unreported until they are reported, and again if the report fails', () => {
  let { share } = spendShare({}, known(30, 400), FREE, 3, NOON)
  share = spendShare(share, {}, FREE, 3, NOON).share
  const unreported = unreportedOf(share)
  assert.deepEqual(unreported, {
    minute: { used: 2, resetsAt: NOON + 30_000 },
    day: { used: 2, resetsAt: MIDNIGHT },
  })
  share = markReported(share, unreported)
  assert.deepEqual(unreportedOf(share), {})
  share = spendShare(share, {}, FREE, 3, NOON).share
  assert.deepEqual(unreportedOf(share).day?.used, 1)
  share = unmarkReported(share, unreported)
  assert.deepEqual(unreportedOf(share).day?.used, 3)
})

test('reported calls of a minute that is over do not affect the next one', () => {
  const before = spendShare({}, known(30, 400), FREE, 3, NOON).share
  const { share } = spendShare(before, {}, FREE, 3, NOON + MINUTE_MS)
  assert.deepEqual(unreportedOf(markReported(share, unreportedOf(before))), {
    minute: { used: 1, resetsAt: NOON + 2 * MINUTE_MS },
    day: { used: 1, resetsAt: MIDNIGHT },
  })
})

test('a call that Redis does not admit is given back to the share', () => {
  const { share } = spendShare({}, known(30, 400), FREE, 3, NOON)
  const call = oneCall(share)
  const after = removeRejected(markReported(share, call), call)
  assert.deepEqual(unreportedOf(after), {})
  assert.deepEqual(
    spendShare(after, {}, FREE, 3, NOON).decision.windows.map(one => one.remaining),
    [9, 199],
  )
})

test('the share of a new outage begins with the counts known then, and keeps the unreported calls', () => {
  let { share } = spendShare({}, known(30, 400), FREE, 3, NOON)
  share = spendShare(markReported(share, unreportedOf(share)), {}, FREE, 3, NOON).share
  const renewed = renewShare(share, known(50, 900), NOON)
  assert.deepEqual(unreportedOf(renewed), unreportedOf(share))
  assert.deepEqual(
    windowsOfShare(renewed, {}, FREE, 3, NOON).map(({ remaining }) => remaining),
    [2, 32],
    'a third of what is left, less one call',
  )
  assert.deepEqual(renewShare(share, known(50, 900), MIDNIGHT), {})
  assert.equal(renewShare(share, {}, NOON).day?.used, 401, 'without known counts, it begins where it began before')
})

test('counts loaded late make a share smaller, never larger', () => {
  const { share } = spendShare({}, {}, FREE, 3, NOON)
  const reseeded = reseedShare(share, known(30, 400), NOON)
  assert.deepEqual(
    windowsOfShare(reseeded, {}, FREE, 3, NOON).map(({ remaining, resetsAt }) => [remaining, resetsAt]),
    [
      [9, NOON + 30_000],
      [199, MIDNIGHT],
    ],
  )
  assert.deepEqual(unreportedOf(reseeded).day, { used: 1, resetsAt: MIDNIGHT })
  assert.deepEqual(reseedShare(reseeded, known(20, 300), NOON), reseeded)
  assert.deepEqual(reseedShare(share, known(30, 400), MIDNIGHT), share)
})

test('calls in windows that are over are not reported', () => {
  const { share } = spendShare({}, known(30, 400), FREE, 3, NOON)
  assert.deepEqual(unreportedOf(withoutExpired(share, NOON + 30_000)), { day: { used: 1, resetsAt: MIDNIGHT } })
  assert.deepEqual(withoutExpired(share, MIDNIGHT), {})
})

test('an address has no limit per day, and a share of its minute', () => {
  const limits = { perMinute: 600, perDay: Number.POSITIVE_INFINITY }
  const { admitted, decision } = spendShare({}, {}, limits, 3, NOON)
  assert.deepEqual([admitted, decision.windows[0]?.remaining, decision.windows[0]?.limit], [true, 199, 600])
})
