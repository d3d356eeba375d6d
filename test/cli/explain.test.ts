import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { test } from 'node:test'
import { explain } from '../../src/cli/output/explain.ts'
import { StoreUnavailable, UserError } from '../../src/domain/errors.ts'

test('an error of the operating system is explained in words, without its code', () => {
  const denied = catchError(() => readFileSync(import.meta.dirname))
  assert.equal(
    explain(new StoreUnavailable('It cannot be used.', { cause: denied })),
    'error: It cannot be used. (it is a folder)\n',
  )
  const missing = catchError(() => statSync('/no/such'))
  assert.equal(explain(missing), 'error: /no/such: no such file or folder.\n')
  const refused = Object.assign(new Error('connect ECONNREFUSED ::1:1'), {
    code: 'ECONNREFUSED',
    errno: -constants.errno.ECONNREFUSED,
    syscall: 'connect',
  })
  const both = new AggregateError([refused, refused], '')
  assert.equal(
    explain(new StoreUnavailable('It cannot be used.', { cause: both })),
    'error: It cannot be used. (connection refused)\n',
  )
})

function catchError(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

test('each reason among several errors is reported once', () => {
  const gone = () =>
    new StoreUnavailable('The store cannot be used just now.', { cause: new Error('connect ECONNREFUSED') })
  const other = new UserError('conflict', 'It is taken.')
  const error = new SuppressedError(gone(), new SuppressedError(other, gone()))
  const line = 'error: The store cannot be used just now. (connect ECONNREFUSED)\n'
  assert.equal(explain(error), `${line}error: It is taken.\n`)
})
