import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreBusy, StoreDamaged, StoreFull, StoreUnavailable, UserError } from './errors.ts'
import { ActionRefused } from './permit.ts'
import { packError, unpackError } from './thread-error.ts'

const cause = new Error('of the disk')

test('an error keeps its class, its cause and all that it knows when it is posted between threads', () => {
  for (const error of [
    new UserError('conflict', 'Not now.', 'name'),
    new UserError('invalid', 'Never.'),
    new ActionRefused('repeated'),
    new StoreDamaged('The store is damaged.', { cause }),
    new StoreFull(cause),
    new StoreBusy(cause),
    new StoreUnavailable('The store is busy.', { cause }),
    new TypeError('A fault of the program.', { cause }),
  ]) {
    assert.deepEqual(unpackError(structuredClone(packError(error))), error)
  }
})

test('what is thrown is posted as an error, whatever it is', () => {
  assert.deepEqual(unpackError(structuredClone(packError('a text'))), new Error('a text'))
})
