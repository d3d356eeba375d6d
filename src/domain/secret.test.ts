import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { checkExpiry, generateSecret, hashSecret, hintOf, isWellFormedSecret } from './secret.ts'

test('a secret begins with its prefix and is well-formed only for that one', () => {
  const secret = generateSecret('shop_')
  assert.match(secret, /^shop_[0-9A-Za-z]{36}$/)
  assert.equal(isWellFormedSecret(secret, 'shop_'), true)
  for (const prefix of ['', 'shop', 'Shop_', 'shop_x', 'zoo__']) assert.equal(isWellFormedSecret(secret, prefix), false)
})

test('the checksum includes the prefix', () => {
  const secret = generateSecret('shop_')
  assert.equal(isWellFormedSecret(secret.replace('shop_', 'zoo__'), 'zoo__'), false)
})

test('a secret that an earlier version generated stays well-formed', () => {
  assert.equal(isWellFormedSecret('petstore_live_TawiFMjvwN74yJxhvFFD9qD4OtkW2p3RXufg', 'petstore_live_'), true)
})

test('the hash of a secret is its SHA-256, and the hint its last four characters', () => {
  const secret = generateSecret('shop_')
  assert.equal(hashSecret(secret), createHash('sha256').update(secret).digest('hex'))
  assert.equal(hintOf(secret), secret.slice(-4))
})

test('an expiry must be in the future', () => {
  for (const expiresAt of [undefined, 1_001, Number.MAX_SAFE_INTEGER]) checkExpiry(expiresAt, 1_000, 'A key')
  for (const expiresAt of [1_000, 999, -1]) {
    assert.throws(() => checkExpiry(expiresAt, 1_000, 'A key'), { kind: 'invalid', message: /^A key must expire/ })
  }
})
