import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain } from '../../src/cli/output/explain.ts'
import { StoreUnavailable, UserError } from '../../src/domain/errors.ts'

test('each reason of several errors is reported once', () => {
  const gone = () =>
    new StoreUnavailable('The store cannot be used just now.', { cause: new Error('connect ECONNREFUSED') })
  const other = new UserError('conflict', 'It is taken.')
  const error = new SuppressedError(gone(), new SuppressedError(other, gone()))
  const line = 'error: The store cannot be used just now. (connect ECONNREFUSED)\n'
  assert.equal(explain(error), `${line}error: It is taken.\n`)
})
