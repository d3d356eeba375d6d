import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreBusy, StoreDamaged, StoreFull, StoreUnavailable } from '../domain/errors.ts'
import { DAMAGED, refusalOf } from './refusal.ts'

test('a failure of the store is answered with what helps the caller, and without details', () => {
  const cause = new Error('at /var/lib/petstore')
  const shown = [
    new StoreBusy(cause),
    new StoreFull(cause),
    new StoreDamaged('The store in /var/lib/petstore is damaged.', { cause }),
    new StoreUnavailable('The store in /var/lib/petstore is gone.', { cause }),
    cause,
  ].map(error => {
    const { code, message, reason } = refusalOf(error)
    assert.doesNotMatch(message, /var/)
    return [code, message.includes('busy'), reason]
  })
  assert.deepEqual(shown, [
    ['service_unavailable', true, undefined],
    ['store_full', false, undefined],
    ['service_unavailable', false, DAMAGED],
    ['service_unavailable', false, undefined],
    ['internal_error', false, undefined],
  ])
})
