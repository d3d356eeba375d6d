import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreUnavailable } from './errors.ts'
import { RecentFailure } from './recent-failure.ts'

test('a failure counts for ten seconds, and the last one is the one that is thrown', t => {
  t.mock.method(performance, 'now', () => now)
  let now = 1_000
  const failure = new RecentFailure()
  failure.ensureNone()
  failure.note(new StoreUnavailable('first'))
  now += 5_000
  failure.note(new StoreUnavailable('second'))
  now += 9_999
  assert.throws(() => failure.ensureNone(), /second/)
  now += 1
  failure.ensureNone()
})
