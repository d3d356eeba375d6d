import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Quota } from './quota.ts'

/** What an answer tells that was asked for and came at these times, in seconds. */
function learn(
  quota: Quota,
  [sentAt, endedAt]: [number, number],
  remaining: number,
  seconds: number,
  limit = 60,
): void {
  const headers = new Headers({
    'ratelimit-policy': `"minute";q=${limit};w=60, "day";q=1000;w=86400`,
    ratelimit: `"minute";r=${remaining};t=${seconds}, "day";r=900;t=86400`,
  })
  const time = { sentAt: sentAt * 1_000, endedAt: endedAt * 1_000 }
  quota.learn({ status: 200, headers, text: '', receivedAt: 0, requestId: '' }, false, time)
}

test('answers of one window may come in any order: the fewest remain', () => {
  const quota = new Quota()
  learn(quota, [1, 2], 50, 60)
  learn(quota, [0, 3], 55, 60)
  assert.equal(quota.remaining(3_000), 50)
})

test('an answer of a window that is over, however late it comes, tells nothing of the next', () => {
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

test('a plan that was raised holds from the first call on that was sent afterwards', () => {
  const quota = new Quota()
  learn(quota, [0, 1], 10, 60)
  learn(quota, [2, 3], 250, 58, 300)
  learn(quota, [1, 4], 0, 59)
  assert.equal(quota.remaining(4_000), 250)
})

test('a window that a newer answer tells to end earlier does', () => {
  const quota = new Quota()
  learn(quota, [0, 0], 0, 3_600)
  learn(quota, [1, 1], 5, 60)
  assert.equal(quota.usedUpUntil(1_000), 0)
})

test('a call without an answer is taken for counted until a later one tells', () => {
  const quota = new Quota()
  learn(quota, [0, 0], 10, 60)
  quota.doubt(200)
  learn(quota, [0.1, 0.3], 9, 60)
  assert.equal(quota.remaining(300), 8)
  learn(quota, [0.2, 0.4], 7, 60)
  assert.equal(quota.remaining(400), 7)
})

test('what was told a while ago is not relied on', () => {
  const quota = new Quota()
  learn(quota, [0, 0], 10, 60)
  assert.equal(quota.isFresh(499), true)
  assert.equal(quota.isFresh(500), false)
})

test('the headers of calls without a valid key say nothing of the account', () => {
  const quota = new Quota()
  const headers = new Headers({ 'ratelimit-policy': '"anonymous";q=600;w=60', ratelimit: '"anonymous";r=0;t=60' })
  quota.learn({ status: 401, headers, text: '', receivedAt: 0, requestId: '' }, false, { sentAt: 0, endedAt: 0 })
  assert.equal(quota.rateLimit, undefined)
  assert.equal(quota.usedUpUntil(0), 0)
})

test('an answer that tells nothing leaves open whether its call was counted', () => {
  const quota = new Quota()
  learn(quota, [0, 0], 10, 60)
  quota.learn({ status: 502, headers: new Headers(), text: '', receivedAt: 0, requestId: '' }, false, {
    sentAt: 10,
    endedAt: 20,
  })
  assert.equal(quota.remaining(20), 9)
})

test('what a banned key is told says nothing of the calls that remain', () => {
  const quota = new Quota()
  learn(quota, [0, 0], 10, 60)
  const headers = new Headers({ 'ratelimit-policy': '"minute";q=60;w=60', ratelimit: '"minute";r=0;t=900' })
  quota.learn({ status: 429, headers, text: '', receivedAt: 0, requestId: '' }, true, { sentAt: 10, endedAt: 20 })
  assert.equal(quota.usedUpUntil(20), 0)
  assert.equal(quota.remaining(20), 10)
  assert.equal(quota.rateLimit?.remaining, 0)
})
