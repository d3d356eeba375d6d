import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CODE_WORDS } from '../../console/src/parts/refusals/words.ts'
import { PUBLIC_ERRORS } from '../../src/schema/error-codes.ts'

/** The codes of calls whose key is not looked at. */
const WITHOUT_KEY = [
  'missing_api_key',
  'https_required',
  'uri_too_long',
  'headers_too_large',
  'method_not_supported',
  'overloaded',
]

test('every code that a call with a key can get has words in the console', () => {
  assert.deepEqual([...Object.keys(CODE_WORDS), ...WITHOUT_KEY].toSorted(), Object.keys(PUBLIC_ERRORS).toSorted())
})
