import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { reasonOf } from './system-error.ts'

test('the reason for an error of the operating system is our own plain text; other errors keep their message, without a full stop', () => {
  assert.equal(reasonOf(errorOf(() => readFileSync('/does/not/exist'))), 'no such file or folder')
  assert.equal(reasonOf(new Error('The connection was closed.')), 'The connection was closed')
  assert.equal(
    reasonOf(new Error('WRONGPASS invalid username-password pair')),
    'WRONGPASS invalid username-password pair',
  )
  assert.equal(reasonOf('aborted'), 'aborted')
})

test('a file that cannot be removed is a reason like any other', { skip: process.platform !== 'linux' }, () => {
  assert.match(reasonOf(errorOf(() => rmSync('/proc/version'))), /^(?:operation not permitted|permission denied)$/)
})

function errorOf(action: () => unknown): unknown {
  try {
    action()
    return undefined
  } catch (error) {
    return error
  }
}
