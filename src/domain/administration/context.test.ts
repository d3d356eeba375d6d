import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey } from '../api-key.ts'
import { generateToken } from '../operator.ts'
import { isoTime, optionalIsoTime } from '../time.ts'
import { entryOf } from './context.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const ADA = { actor: { name: 'ada', origin: 'command line' }, now: NOW }

test('an entry says who acts, from where and when, with the details that are defined', () => {
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

test('a detail that contains a secret is withheld, as an entry cannot be deleted', () => {
  const name = `Rex ${generateKey('production')}`
  const details = { name, status: `sold → ${generateToken('staging')}`, categoryId: '7' }
  assert.deepEqual(entryOf(ADA, 'pet.create', details).details, {
    name: '(withheld)',
    status: '(withheld)',
    categoryId: '7',
  })
})

test('a time is written in UTC, to the millisecond', () => {
  assert.equal(isoTime(NOW), '2027-03-01T12:00:00.250Z')
  assert.equal(optionalIsoTime(undefined), undefined)
})
