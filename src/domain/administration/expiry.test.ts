import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkExpiry } from './expiry.ts'

test('what is to expire must do so in the future', () => {
  for (const expiresAt of [undefined, 1_001, Number.MAX_SAFE_INTEGER]) checkExpiry(expiresAt, 1_000, 'A key')
  for (const expiresAt of [1_000, 999, -1]) {
    assert.throws(() => checkExpiry(expiresAt, 1_000, 'A key'), { kind: 'invalid', message: /^A key must expire/ })
  }
})
