import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fingerprintOf } from './idempotency.ts'

test('two bodies are the same if their bytes are equal', () => {
  const fingerprint = fingerprintOf(Buffer.from('{"name":"Rex","categoryId":7}'))
  assert.equal(fingerprintOf(Buffer.from('{"name":"Rex","categoryId":7}')), fingerprint)
  assert.notEqual(fingerprintOf(Buffer.from('{"name":"Rex","categoryId":7} ')), fingerprint)
  assert.notEqual(fingerprintOf(Buffer.from('{"categoryId":7,"name":"Rex"}')), fingerprint)
})
