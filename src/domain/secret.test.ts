import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { generateSecret, hashSecret, hintOf, isWellFormedSecret } from './secret.ts'

test('a secret begins with its prefix and is well-formed for that one alone', () => {
  const secret = generateSecret('shop_')
  assert.match(secret, /^shop_[0-9A-Za-z]{36}$/)
  assert.equal(isWellFormedSecret(secret, 'shop_'), true)
  for (const prefix of ['', 'shop', 'Shop_', 'shop_x', 'zoo__']) assert.equal(isWellFormedSecret(secret, prefix), false)
})

test('the checksum is over the prefix too', () => {
  const secret = generateSecret('shop_')
  assert.equal(isWellFormedSecret(secret.replace('shop_', 'zoo__'), 'zoo__'), false)
})

test('only the SHA-256 of a secret is kept, and its last four characters as a hint', () => {
  const secret = generateSecret('shop_')
  assert.equal(hashSecret(secret), createHash('sha256').update(secret).digest('hex'))
  assert.equal(hintOf(secret), secret.slice(-4))
})
