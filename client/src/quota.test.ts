import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Quota } from './quota.ts'

/** Learns from an answer that was requested and received at these times, in seconds. */
function learn(
  quota: Quota,
  [sentAt, endedAt]: [number, number],
  remaining: number,
  seconds: number,
  limit = 60,
  maxWaitMs = Number.POSITIVE_INFINITY,
): void {
  const headers = new Headers({
    'ratelimit-policy': `"minute";q=${limit};w=60, "day";q=1000;w=86400`,
    ratelimit: `"minute";r=${remaining};t=${seconds}, "day";r=900;t=86400`,
  })
  const time = { sentAt: sentAt * 1_000, endedAt: endedAt * 1_000 }
  quota.learn({ headers, receivedAt: 0, maxWaitMs }, false, time)
}

test('answers about one window may come in any order: the lowest number counts', () => {
  const quota = new Quota()
  learn(quota, [1, 2], 50, 60)
  learn(quota, [0, 3], 55, 60)
  assert.equal(quota.remaining(3_000), 50)
})

test('a late answer about a window that is over says nothing about the next one', () => {
  const quota = new Quota()
  learn(quota, [61, 62], 59, 60)
  learn(quota, [40, 69], 0, 19)
  assert.equal(quota.remaining(69_000), 59)
  assert.equal(quota.usedUpUntil(69_000), 0)
})

test('a late answer does not make its window last longer', () => {
  const quota = new Quota()
  learn(quota, [0, 1], 5, 60)
  learn(quota, [2, 31], 0, 58)
  assert.equal(quota.usedUpUntil(31_000), 61_000)
})

test('after the reset nothing is known, and nothing is used up', () => {
  const quota = new Quota()
  learn(quota, [0, 0], 0, 60)
  assert.equal(quota.usedUpUntil(59_999), 60_000)
  assert.equal(quota.usedUpUntil(60_000), 0)
  assert.equal(quota.isFresh(60_000), false)
  assert.equal(quota.remaining(60_000), Number.POSITIVE_INFINITY)
})

test('a raised plan holds from the first call sent afterwards', () => {
  const quota = new Quota()
  learn(quota, [0, 1], 10, 60)
  learn(quota, [2, 3], 250, 58, 300)
  learn(quota, [1, 4], 0, 59)
  assert.equal(quota.remaining(4_000), 250)
})

test('a newer answer can make a window end earlier', () => {
  const quota = new Quota()
  learn(quota, [0, 0], 0, 3_600)
  learn(quota, [1, 1], 5, 60)
  assert.equal(quota.usedUpUntil(1_000), 0)
})

test('a call without an answer is assumed to be counted until a later answer shows it', () => {
  const quota = new Quota()
  learn(quota, [0, 0], 10, 60)
  quota.noteUncertain(200)
  learn(quota, [0.1, 0.3], 9, 60)
  assert.equal(quota.remaining(300), 8)
  learn(quota, [0.2, 0.4], 7, 60)
  assert.equal(quota.remaining(400), 7)
})

test('old answers are not relied on', () => {
  const quota = new Quota()
  learn(quota, [0, 0], 10, 60)
  assert.equal(quota.isFresh(499), true)
  assert.equal(quota.isFresh(500), false)
})

test('the headers of calls without a valid key say nothing about the account', () => {
  const quota = new Quota()
  const headers = new Headers({ 'ratelimit-policy': '"anonymous";q=600;w=60', ratelimit: '"anonymous";r=0;t=60' })
  quota.learn({ headers, receivedAt: 0, maxWaitMs: Number.POSITIVE_INFINITY }, false, { sentAt: 0, endedAt: 0 })
  assert.equal(quota.rateLimit, undefined)
  assert.equal(quota.usedUpUntil(0), 0)
})

test('an answer without headers leaves open whether its call was counted', () => {
  const quota = new Quota()
  learn(quota, [0, 0], 10, 60)
  quota.learn({ headers: new Headers(), receivedAt: 0, maxWaitMs: Number.POSITIVE_INFINITY }, false, {
    sentAt: 10,
    endedAt: 20,
  })
  assert.equal(quota.remaining(20), 9)
})

test('the headers for a banned key say nothing about the remaining calls', () => {
  const quota = new Quota()
  learn(quota, [0, 0], 10, 60)
  const headers = new Headers({ 'ratelimit-policy': '"minute";q=60;w=60', ratelimit: '"minute";r=0;t=900' })
  quota.learn({ headers, receivedAt: 0, maxWaitMs: Number.POSITIVE_INFINITY }, true, { sentAt: 10, endedAt: 20 })
  assert.equal(quota.usedUpUntil(20), 0)
  assert.equal(quota.remaining(20), 10)
  assert.equal(quota.rateLimit?.remaining, 0)
})
