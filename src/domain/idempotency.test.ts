import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fingerprintOf, isIdempotencyKey } from './idempotency.ts'

test('an idempotency key has 1 to 255 visible ASCII characters', () => {
  for (const text of ['a', '!', '~', '"8e03978e-40d5-43e8-bc93-6894a57f9324"', 'k'.repeat(255)]) {
    assert.ok(isIdempotencyKey(text), text)
  }
  for (const text of ['', ' ', 'a b', 'a ', 'k'.repeat(256), 'é', 'a\tb', 'a\n', '\x7f', 'a\0']) {
    assert.ok(!isIdempotencyKey(text), JSON.stringify(text))
  }
})

test('two bodies are the same if their bytes are equal', () => {
  const fingerprint = fingerprintOf(Buffer.from('{"name":"Rex","categoryId":7}'))
  assert.equal(fingerprintOf(Buffer.from('{"name":"Rex","categoryId":7}')), fingerprint)
  assert.notEqual(fingerprintOf(Buffer.from('{"name":"Rex","categoryId":7} ')), fingerprint)
  assert.notEqual(fingerprintOf(Buffer.from('{"categoryId":7,"name":"Rex"}')), fingerprint)
})
