import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Limits } from './plan.ts'
import { Model } from './rate-limiter.contract.ts'
import {
  bannedDecision,
  type Counts,
  current,
  type Decision,
  maxCounts,
  spend,
  tightest,
  type Window,
  windowsOf,
} from './rate-limiter.ts'
import { DAY_MS, MINUTE_MS } from './time.ts'

const NOON = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const MIDNIGHT = Date.UTC(2027, 2, 2)
const FREE: Limits = { perMinute: 60, perDay: 1_000 }

test('the first call begins a minute and counts in the UTC day', () => {
  const { admitted, counts, decision } = spend({}, FREE, NOON)
  assert.equal(admitted, true)
  assert.deepEqual(counts, {
    minute: { used: 1, resetsAt: NOON + MINUTE_MS },
    day: { used: 1, resetsAt: MIDNIGHT },
  })
  const minute = { name: 'minute', lengthSeconds: 60, limit: 60, remaining: 59, resetsAt: NOON + MINUTE_MS }
  const day = { name: 'day', lengthSeconds: 86_400, limit: 1_000, remaining: 999, resetsAt: MIDNIGHT }
  assert.deepEqual(decision, { outcome: 'admitted', windows: [minute, day], shown: minute, decidedAt: NOON })
})

test('a call that either window refuses changes neither', () => {
  const full: Counts[] = [
    { minute: { used: 60, resetsAt: NOON + 10 }, day: { used: 60, resetsAt: MIDNIGHT } },
    { minute: { used: 1, resetsAt: NOON + 10 }, day: { used: 1_000, resetsAt: MIDNIGHT } },
    { minute: { used: 60, resetsAt: NOON - 10 }, day: { used: 1_000, resetsAt: MIDNIGHT } },
  ]
  for (const before of full) {
    const { admitted, counts, decision } = spend(before, FREE, NOON)
    assert.equal(admitted, false)
    assert.equal(decision.outcome, 'refused')
    assert.deepEqual(counts, before)
  }
})

test('the last call of a limit is admitted, and shows that nothing remains', () => {
  const { decision } = spend({ minute: { used: 59, resetsAt: NOON + 10 } }, FREE, NOON)
  assert.equal(decision.outcome, 'admitted')
  assert.deepEqual(decision.shown, { ...decision.windows[0], remaining: 0, resetsAt: NOON + 10 })
})

test('a window is over at its reset, and not a millisecond before', () => {
  const counts = { minute: { used: 60, resetsAt: NOON }, day: { used: 60, resetsAt: MIDNIGHT } }
  assert.equal(spend(counts, FREE, NOON - 1).admitted, false)
  assert.equal(spend(counts, FREE, NOON).admitted, true)
  assert.deepEqual(spend(counts, FREE, NOON).counts.minute, { used: 1, resetsAt: NOON + MINUTE_MS })
})

test('a day ends at midnight UTC, also for a call at midnight itself', () => {
  assert.equal(spend({}, FREE, MIDNIGHT - 1).counts.day?.resetsAt, MIDNIGHT)
  assert.equal(spend({}, FREE, MIDNIGHT).counts.day?.resetsAt, MIDNIGHT + DAY_MS)
})

test('limits below the calls used show 0 remaining, never less', () => {
  const counts = { minute: { used: 50, resetsAt: NOON + 10 }, day: { used: 500, resetsAt: MIDNIGHT } }
  const { decision } = spend(counts, { perMinute: 10, perDay: 100 }, NOON)
  assert.deepEqual(
    decision.windows.map(({ limit, remaining }) => [limit, remaining]),
    [
      [10, 0],
      [100, 0],
    ],
  )
})

test('a clock set back keeps a window, unless the window lies so far ahead that its clock was wrong', () => {
  const count = { used: 3, resetsAt: NOON + MINUTE_MS }
  assert.equal(current(count, MINUTE_MS, NOON - MINUTE_MS), count)
  assert.equal(current(count, MINUTE_MS, NOON - MINUTE_MS - 1), undefined)
  assert.equal(current(count, MINUTE_MS, NOON + MINUTE_MS - 1), count)
  assert.equal(current(count, MINUTE_MS, NOON + MINUTE_MS), undefined)
  assert.equal(current(undefined, MINUTE_MS, NOON), undefined)
})

const minute = (remaining: number, resetsAt: number) => shownWindow('minute', remaining, resetsAt)
const day = (remaining: number, resetsAt: number) => shownWindow('day', remaining, resetsAt)

test('the tightest window has the fewest calls remaining; if equal, it resets later', () => {
  const cases: [Window, Window, Window['name']][] = [
    [minute(1, 10), day(2, 20), 'minute'],
    [minute(2, 10), day(1, 20), 'day'],
    [minute(2, 10), day(2, 20), 'day'],
    [minute(2, 20), day(2, 10), 'minute'],
    [minute(0, 10), day(0, 20), 'day'],
    [minute(0, 20), day(5, 10), 'minute'],
  ]
  for (const [one, other, name] of cases) {
    assert.equal(tightest([one, other]).name, name)
    assert.equal(tightest([other, one]).name, name)
  }
})

test('during a ban nothing remains until it ends, in every window', () => {
  const banned = bannedDecision([minute(2, 20), day(5, 10)], NOON + 900_000, NOON)
  assert.deepEqual([banned.outcome, banned.decidedAt], ['banned', NOON])
  for (const window of [...banned.windows, banned.shown]) {
    assert.equal(window.remaining, 0)
    assert.equal(window.resetsAt, NOON + 900_000)
  }
  assert.equal(banned.shown.name, 'minute')
})

test('a ban that ends before an exhausted window shows the end of that window', () => {
  const resetOf = (windows: Window[], endsAt: number) => bannedDecision(windows, endsAt, 0).shown.resetsAt
  assert.equal(resetOf([minute(0, 20), day(5, 30)], 10), 20)
  assert.equal(resetOf([minute(0, 20), day(0, 30)], 10), 30)
  assert.equal(resetOf([minute(0, 20), day(0, 30)], 31), 31)
  assert.equal(resetOf([minute(1, 20), day(1, 30)], 10), 10)
})

test('every history of calls and clock steps is decided as the contract says', () => {
  const limits = fc.record({ perMinute: fc.integer({ min: 1, max: 6 }), perDay: fc.integer({ min: 1, max: 15 }) })
  const waits = fc.oneof(
    fc.integer({ min: -20, max: 5_000 }),
    fc.integer({ min: MINUTE_MS - 20, max: MINUTE_MS + 20 }),
    fc.integer({ min: 0, max: 26 * 3_600_000 }),
  )
  const calls = fc.array(fc.record({ wait: waits, limits: fc.option(limits, { freq: 10 }) }), { maxLength: 60 })
  const starts = fc.oneof(fc.integer({ min: 0, max: DAY_MS }), fc.integer({ min: -MINUTE_MS, max: 10 }))
  fc.assert(
    fc.property(starts, limits, calls, (start, firstLimits, history) => {
      const model = new Model({ after: Number.POSITIVE_INFINITY, withinSeconds: 1, forSeconds: 1, maxSeconds: 1 })
      let counts: Counts = {}
      let limits = firstLimits
      let now = MIDNIGHT + start
      for (const call of history) {
        now += call.wait
        limits = call.limits ?? limits
        const spent = spend(counts, limits, now)
        assert.deepEqual<Decision>(
          spent.decision,
          model.consume({ keyId: 1n, accountId: 1n, limits }, '192.0.2.7', now),
        )
        counts = spent.counts
      }
    }),
    { numRuns: 500 },
  )
})

function shownWindow(name: Window['name'], remaining: number, resetsAt: number): Window {
  return { name, lengthSeconds: 60, limit: 10, remaining, resetsAt }
}

test('looking at the windows counts nothing; one that has not begun is shown as if it began', () => {
  assert.deepEqual(windowsOf({}, FREE, NOON), [
    { name: 'minute', lengthSeconds: 60, limit: 60, remaining: 60, resetsAt: NOON + MINUTE_MS },
    { name: 'day', lengthSeconds: 86_400, limit: 1_000, remaining: 1_000, resetsAt: MIDNIGHT },
  ])
  const { counts, decision } = spend({}, FREE, NOON)
  assert.deepEqual(windowsOf(counts, FREE, NOON + 1), decision.windows)
  const lowered = windowsOf({ minute: { used: 9, resetsAt: NOON + 1 } }, { perMinute: 5, perDay: 5 }, NOON)
  assert.deepEqual(
    lowered.map(({ remaining }) => remaining),
    [0, 5],
  )
})

test('of two counts of the same window, the higher one wins, and of two windows, the later one', () => {
  const count = (used: number, resetsAt: number) => ({ used, resetsAt })
  const one: Counts = { minute: count(5, NOON + 100), day: count(70, MIDNIGHT) }
  const other: Counts = { minute: count(9, NOON + 100), day: count(60, MIDNIGHT) }
  const both = { minute: count(9, NOON + 100), day: count(70, MIDNIGHT) }
  assert.deepEqual(maxCounts(one, other, NOON), both)
  assert.deepEqual(maxCounts(other, one, NOON), both)
  assert.deepEqual(maxCounts(one, {}, NOON), one)
  const later = { minute: count(1, NOON + 200) }
  const withLater = { minute: count(1, NOON + 200), day: count(70, MIDNIGHT) }
  assert.deepEqual(maxCounts(later, one, NOON), withLater)
  assert.deepEqual(maxCounts(one, later, NOON), withLater)
  assert.deepEqual(
    maxCounts(one, other, NOON + 100),
    { day: count(70, MIDNIGHT) },
    'a window that is over does not count',
  )
  assert.deepEqual(
    maxCounts({ minute: count(3, NOON + 10 * MINUTE_MS) }, one, NOON),
    one,
    'nor does one from a wrong clock',
  )
})
