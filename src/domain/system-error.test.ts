import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { reasonOf } from './system-error.ts'

test('the reason for an error is clear words of its own for the operating system, and its message without a full stop otherwise', () => {
  assert.equal(reasonOf(errorOf(() => readFileSync('/does/not/exist'))), 'no such file or folder')
  assert.equal(reasonOf(new Error('The connection was closed.')), 'The connection was closed')
  assert.equal(
    reasonOf(new Error('WRONGPASS invalid username-password pair')),
    'WRONGPASS invalid username-password pair',
  )
  assert.equal(reasonOf('aborted'), 'aborted')
})

function errorOf(action: () => unknown): unknown {
  try {
    action()
    return undefined
  } catch (error) {
    return error
  }
}
