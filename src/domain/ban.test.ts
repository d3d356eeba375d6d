import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ban, type BanPolicy, banAfter, banOfSource, isInForce, nextBan, type Strikes, strike } from './ban.ts'

const NOW = Date.UTC(2027, 2, 1, 12)
const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const POLICY: BanPolicy = { after: undefined, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 }
const SOURCE = '192.0.2.7'
const MINUTE = { name: 'minute', resetsAt: NOW + MINUTE_MS }

test('the count is the plan’s calls per minute, at least 60 and at most 300, unless it is fixed', () => {
  const counts = [1, 2, 59, 60, 61, 299, 300, 1_000, 10_000].map(perMinute =>
    banAfter(POLICY, { perMinute, perDay: 1 }),
  )
  assert.deepEqual(counts, [60, 60, 60, 60, 61, 299, 300, 300, 300])
  for (const perMinute of [1, 10_000]) assert.equal(banAfter({ ...POLICY, after: 5 }, { perMinute, perDay: 1 }), 5)
})

test('the first refusal of a source in a window is not a strike', () => {
  const { strikes, earnsBan } = strike(undefined, NOW, 1, 600)
  assert.deepEqual(strikes, { firstRefusedAt: NOW, times: [] })
  assert.equal(earnsBan, false)
})

test('a refused call is a strike from ten seconds after the first refusal on', () => {
  assert.deepEqual(refusedAt([0, 0, 1, 9_999]).strikes?.times, [])
  assert.deepEqual(refusedAt([0, 9_999, 10_000, 10_000]).strikes?.times, [NOW + 10_000, NOW + 10_000])
})

test('thousands of queued calls do not earn a ban', () => {
  assert.equal(refusedAt(Array.from({ length: 10_000 }, (_, index) => index)).bans, 0)
})

test('the last of as many strikes as the count earns a ban, the one before does not', () => {
  const strikes = (count: number) => Array.from({ length: count }, (_, index) => 10_000 + index * 100)
  assert.equal(refusedAt([0, ...strikes(59)]).bans, 0)
  assert.equal(refusedAt([0, ...strikes(60)]).bans, 1)
})

test('a strike counts for ten minutes', () => {
  const all = Array.from({ length: 59 }, () => 10_000)
  assert.equal(refusedAt([0, ...all, 10_000 + 10 * MINUTE_MS - 1]).bans, 1)
  assert.equal(refusedAt([0, ...all, 10_000 + 10 * MINUTE_MS]).bans, 0)
})

test('the number of strikes kept for a source is limited by the count', () => {
  const { strikes } = refusedAt(
    Array.from({ length: 5_000 }, (_, index) => index * 100_000),
    { after: 10 },
  )
  assert.ok((strikes?.times.length ?? 0) < 10)
  let known: Strikes | undefined
  for (let second = 0; second < 500; second += 1) {
    known = strike(known, NOW + second * SECOND_MS, 60, 600).strikes
  }
  assert.equal(known?.times.length, 60, 'also while the ban cannot be stored')
})

test('after a clock was set back, a refusal is no strike until it is ten seconds after the first again', () => {
  assert.deepEqual(refusedAt([0, -5_000, 9_999]).strikes?.times, [])
  assert.deepEqual(refusedAt([0, 10_000, -5_000]).strikes?.times, [NOW + 10_000])
})

test('the numbers of the policy decide', () => {
  const strict: BanPolicy = { after: 2, withinSeconds: 5, forSeconds: 3, maxSeconds: 10 }
  assert.equal(refusedAt([0, 10_000, 14_999], { after: 2, withinSeconds: 5 }).bans, 1)
  assert.equal(refusedAt([0, 10_000, 15_000], { after: 2, withinSeconds: 5 }).bans, 0)
  const next = (ordinal: number) => nextBan(ban({ ordinal }), SOURCE, MINUTE, NOW, strict)
  const term = { source: SOURCE, earnedIn: 'minute', startedAt: NOW }
  assert.deepEqual(next(1), { ...term, endsAt: NOW + 6_000, ordinal: 2 })
  assert.deepEqual(next(2), { ...term, endsAt: NOW + 10_000, ordinal: 3 })
})

test('the first ban lasts 15 minutes, each one after it twice as long, and none longer than 24 hours', () => {
  const minutes: number[] = []
  let last: Ban | undefined
  for (let now = NOW; minutes.length < 60; ) {
    const term = nextBan(last, SOURCE, MINUTE, now, POLICY)
    minutes.push((term.endsAt - term.startedAt) / MINUTE_MS)
    assert.equal(term.startedAt, now)
    assert.equal(term.ordinal, minutes.length)
    last = ban(term)
    now = term.endsAt + HOUR_MS
  }
  assert.deepEqual(minutes.slice(0, 9), [15, 30, 60, 120, 240, 480, 960, 1_440, 1_440])
  assert.ok(minutes.slice(7).every(length => length === 1_440))
})

test('a ban earned in an exhausted day ends with that day at the latest, one earned in a minute does not', () => {
  const midnight = NOW + 12 * HOUR_MS
  const endOf = (name: string, now: number, resetsAt: number) =>
    nextBan(ban({ ordinal: 3, endsAt: now - HOUR_MS }), SOURCE, { name, resetsAt }, now, POLICY).endsAt
  assert.equal(endOf('day', NOW, midnight), NOW + 2 * HOUR_MS)
  assert.equal(endOf('day', midnight - HOUR_MS, midnight), midnight)
  assert.equal(endOf('minute', midnight - HOUR_MS, midnight), midnight + HOUR_MS)
})

test('a ban is forgiven 24 hours after its end', () => {
  const last = ban({ ordinal: 5, endsAt: NOW })
  const ordinalAt = (now: number) => nextBan(last, SOURCE, MINUTE, now, POLICY).ordinal
  assert.equal(ordinalAt(NOW + 24 * HOUR_MS - 1), 6)
  assert.equal(ordinalAt(NOW + 24 * HOUR_MS), 1)
})

test('a lifted ban is over, and still counts in the row', () => {
  const lifted = ban({ ordinal: 1, startedAt: NOW, endsAt: NOW + 15 * MINUTE_MS, liftedAt: NOW + MINUTE_MS })
  assert.equal(isInForce(lifted, NOW + MINUTE_MS), false)
  const ordinalAt = (now: number) => nextBan(lifted, SOURCE, MINUTE, now, POLICY).ordinal
  assert.equal(ordinalAt(NOW + 2 * MINUTE_MS), 2)
  assert.equal(ordinalAt(NOW + MINUTE_MS + 24 * HOUR_MS), 1)
})

test('a ban holds until its end, and not at it', () => {
  const current = ban({ startedAt: NOW, endsAt: NOW + MINUTE_MS })
  assert.equal(isInForce(current, NOW), true)
  assert.equal(isInForce(current, NOW + MINUTE_MS - 1), true)
  assert.equal(isInForce(current, NOW + MINUTE_MS), false)
})

test('a source has its own bans, and those that apply to every source', () => {
  const [older, own, others] = [ban({ source: undefined }), ban({}), ban({ source: '192.0.2.8' })]
  assert.equal(banOfSource([others, own, older], SOURCE), own)
  assert.equal(banOfSource([others, older], SOURCE), older)
  assert.equal(banOfSource([others], SOURCE), undefined)
})

/** The strikes and bans of a source that is refused at these times after NOW, all in one window. Each ban clears the strikes. */
function refusedAt(
  times: readonly number[],
  { after = 60, withinSeconds = 600 } = {},
): { strikes: Strikes | undefined; bans: number } {
  let strikes: Strikes | undefined
  let bans = 0
  for (const time of times) {
    const struck = strike(strikes, NOW + time, after, withinSeconds)
    strikes = struck.earnsBan ? undefined : struck.strikes
    bans += Number(struck.earnsBan)
  }
  return { strikes, bans }
}

function ban(term: Partial<Ban>): Ban {
  return {
    id: 1n,
    keyId: 1n,
    source: SOURCE,
    earnedIn: 'minute',
    startedAt: NOW - HOUR_MS,
    endsAt: NOW,
    ordinal: 1,
    liftedAt: undefined,
    ...term,
  }
}
