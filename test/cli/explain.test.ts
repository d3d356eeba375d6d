import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain } from '../../src/cli/explain.ts'
import { Mistake, StoreUnavailable } from '../../src/domain/errors.ts'

test('of several errors each reason is told once', () => {
  const gone = () =>
    new StoreUnavailable('The store cannot be used just now.', { cause: new Error('connect ECONNREFUSED') })
  const other = new Mistake('conflict', 'It is taken.')
  const error = new SuppressedError(gone(), new SuppressedError(other, gone()))
  const line = 'error: The store cannot be used just now. (connect ECONNREFUSED)\n'
  assert.equal(explain(error), `${line}error: It is taken.\n`)
})
