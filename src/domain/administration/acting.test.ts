import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entryOf, optionalTime } from './acting.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const ADA = { actor: { name: 'ada', origin: 'command line' }, now: NOW }

test('an entry tells who acts, from where and when, and which details are known', () => {
  assert.deepEqual(entryOf(ADA, 'key.issue', { hint: 'abcd', name: undefined, note: '' }, 7n), {
    at: NOW,
    actor: 'ada',
    origin: 'command line',
    action: 'key.issue',
    accountId: 7n,
    details: { hint: 'abcd', note: '' },
  })
  assert.equal(entryOf(ADA, 'pet.create', {}).accountId, undefined)
})

test('a time is written in UTC, to the millisecond', () => {
  assert.equal(optionalTime(NOW), '2027-03-01T12:00:00.250Z')
  assert.equal(optionalTime(undefined), undefined)
})
