import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isIdempotencyKey } from './idempotency-key.ts'

test('an idempotency key has 1 to 255 visible ASCII characters', () => {
  for (const text of ['a', '!', '~', '"8e03978e-40d5-43e8-bc93-6894a57f9324"', 'k'.repeat(255)]) {
    assert.ok(isIdempotencyKey(text), text)
  }
  for (const text of ['', ' ', 'a b', 'a ', 'k'.repeat(256), 'é', 'a\tb', 'a\n', '\x7f', 'a\0']) {
    assert.ok(!isIdempotencyKey(text), JSON.stringify(text))
  }
})
