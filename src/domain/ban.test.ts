import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ban, type BanPolicy, isInForce, nextBan, type Strikes, strike } from './ban.ts'

const NOW = Date.UTC(2027, 2, 1, 12)
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const POLICY: BanPolicy = { after: 10, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 }

test('the first refusal of a window is not a strike', () => {
  const { strikes, earnsBan } = strike(undefined, NOW + MINUTE_MS, NOW, POLICY)
  assert.deepEqual(strikes, { windowResetsAt: NOW + MINUTE_MS, firstRefusedAt: NOW, times: [] })
  assert.equal(earnsBan, false)
})

test('a refused call is a strike from one second after the first refusal on', () => {
  assert.deepEqual(refusedAt([NOW, NOW, NOW + 1, NOW + 999]).strikes?.times, [])
  assert.deepEqual(refusedAt([NOW, NOW + 999, NOW + 1_000, NOW + 1_000]).strikes?.times, [NOW + 1_000, NOW + 1_000])
})

test('a thousand calls already in flight do not earn a ban', () => {
  const inFlight = Array.from({ length: 1_000 }, (_, index) => NOW + index)
  assert.equal(refusedAt([NOW, ...inFlight]).bans, 0)
})

test('the tenth strike earns a ban, the ninth does not', () => {
  const strikes = (count: number) => Array.from({ length: count }, (_, index) => NOW + 1_000 + index * 100)
  assert.equal(refusedAt([NOW, ...strikes(9)]).bans, 0)
  assert.equal(refusedAt([NOW, ...strikes(10)]).bans, 1)
})

test('strikes add up over windows, and each window has its own first refusal', () => {
  let strikes: Strikes | undefined
  let earned = 0
  for (let minute = 0; minute < 5; minute += 1) {
    const start = NOW + minute * MINUTE_MS
    for (const at of [start, start + 1_000, start + 2_000]) {
      const struck = strike(strikes, start + MINUTE_MS, at, POLICY)
      strikes = struck.strikes
      earned += Number(struck.earnsBan)
      assert.equal(struck.earnsBan, minute === 4 && at === start + 2_000)
    }
  }
  assert.equal(earned, 1)
})

test('a strike counts for ten minutes', () => {
  const nine = Array.from({ length: 9 }, () => NOW + 1_000)
  const day = NOW + 20 * HOUR_MS
  assert.equal(refusedAt([NOW, ...nine, NOW + 1_000 + 10 * MINUTE_MS - 1], day).bans, 1)
  assert.equal(refusedAt([NOW, ...nine, NOW + 1_000 + 10 * MINUTE_MS], day).bans, 0)
})

test('the number of strikes kept for a key is limited by the policy', () => {
  const { strikes } = refusedAt(
    Array.from({ length: 5_000 }, (_, index) => NOW + index * 100_000),
    NOW + 5_000 * 100_000,
  )
  assert.ok((strikes?.times.length ?? 0) < POLICY.after)
})

test('the numbers of the policy decide', () => {
  const strict: BanPolicy = { after: 2, withinSeconds: 5, forSeconds: 3, maxSeconds: 10 }
  assert.equal(refusedAt([NOW, NOW + 1_000, NOW + 5_999], NOW + HOUR_MS, strict).bans, 1)
  assert.equal(refusedAt([NOW, NOW + 1_000, NOW + 6_000], NOW + HOUR_MS, strict).bans, 0)
  assert.deepEqual(nextBan(ban({ ordinal: 1 }), NOW, strict), { startedAt: NOW, endsAt: NOW + 6_000, ordinal: 2 })
  assert.deepEqual(nextBan(ban({ ordinal: 2 }), NOW, strict), { startedAt: NOW, endsAt: NOW + 10_000, ordinal: 3 })
})

test('the first ban lasts 15 minutes, each one after it twice as long, and none longer than 24 hours', () => {
  const minutes: number[] = []
  let last: Ban | undefined
  for (let now = NOW; minutes.length < 60; ) {
    const term = nextBan(last, now, POLICY)
    minutes.push((term.endsAt - term.startedAt) / MINUTE_MS)
    assert.equal(term.startedAt, now)
    assert.equal(term.ordinal, minutes.length)
    last = ban(term)
    now = term.endsAt + HOUR_MS
  }
  assert.deepEqual(minutes.slice(0, 9), [15, 30, 60, 120, 240, 480, 960, 1_440, 1_440])
  assert.ok(minutes.slice(7).every(length => length === 1_440))
})

test('a ban is forgiven 24 hours after its end', () => {
  const last = ban({ ordinal: 5, endsAt: NOW })
  assert.equal(nextBan(last, NOW + 24 * HOUR_MS - 1, POLICY).ordinal, 6)
  assert.equal(nextBan(last, NOW + 24 * HOUR_MS, POLICY).ordinal, 1)
})

test('a lifted ban ends when it is lifted, and still counts in the row', () => {
  const lifted = ban({ ordinal: 1, startedAt: NOW, endsAt: NOW + 15 * MINUTE_MS, liftedAt: NOW + MINUTE_MS })
  assert.equal(isInForce(lifted, NOW + MINUTE_MS - 1), true)
  assert.equal(isInForce(lifted, NOW + MINUTE_MS), false)
  assert.equal(nextBan(lifted, NOW + 2 * MINUTE_MS, POLICY).ordinal, 2)
  assert.equal(nextBan(lifted, NOW + MINUTE_MS + 24 * HOUR_MS, POLICY).ordinal, 1)
})

test('a ban holds until its end, and not at it', () => {
  const current = ban({ startedAt: NOW, endsAt: NOW + MINUTE_MS })
  assert.equal(isInForce(current, NOW), true)
  assert.equal(isInForce(current, NOW + MINUTE_MS - 1), true)
  assert.equal(isInForce(current, NOW + MINUTE_MS), false)
})

/** The strikes and bans of a key that is refused at these times, all in one window. Each ban clears the strikes. */
function refusedAt(
  times: readonly number[],
  windowResetsAt = NOW + MINUTE_MS,
  policy = POLICY,
): { strikes: Strikes | undefined; bans: number } {
  let strikes: Strikes | undefined
  let bans = 0
  for (const now of times) {
    const struck = strike(strikes, windowResetsAt, now, policy)
    strikes = struck.earnsBan ? undefined : struck.strikes
    bans += Number(struck.earnsBan)
  }
  return { strikes, bans }
}

function ban(term: Partial<Ban>): Ban {
  return { id: 1n, keyId: 1n, startedAt: NOW - HOUR_MS, endsAt: NOW, ordinal: 1, liftedAt: undefined, ...term }
}
