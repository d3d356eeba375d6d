import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey } from '../api-key.ts'
import { generateToken } from '../operator.ts'
import { isoTime, optionalIsoTime } from '../time.ts'
import { entryOf } from './context.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const PERMIT = { tokenId: 3n, role: 'staff' } as const
const ADA = { actor: { name: 'ada', permit: PERMIT, origin: '192.0.2.7' }, now: NOW }

test('an entry says who acts, from where and when, with the details that are defined', () => {
  const details = { hint: 'abcd', name: undefined, note: '' }
  const after = { expiresAt: null, id: 9n }
  assert.deepEqual(entryOf(ADA, 'key.issue', { accountId: 7n, details, after }), {
    at: NOW,
    actor: 'ada',
    tokenId: 3n,
    permit: PERMIT,
    origin: '192.0.2.7',
    action: 'key.issue',
    accountId: 7n,
    details: { hint: 'abcd', note: '' },
    before: undefined,
    after,
  })
  assert.equal(entryOf(ADA, 'pet.create').accountId, undefined)
})

test('a value that contains a secret is withheld, as an entry cannot be deleted', () => {
  const name = `Rex ${generateKey('production')}`
  const details = { name, status: `sold → ${generateToken('staging')}`, categoryId: '7' }
  const { details: shown, before, after } = entryOf(ADA, 'pet.create', { details, before: details, after: details })
  for (const values of [shown, before, after]) {
    assert.deepEqual(values, { name: '(withheld)', status: '(withheld)', categoryId: '7' })
  }
})

test('a time is written in UTC, to the millisecond', () => {
  assert.equal(isoTime(NOW), '2027-03-01T12:00:00.250Z')
  assert.equal(optionalIsoTime(undefined), undefined)
})
