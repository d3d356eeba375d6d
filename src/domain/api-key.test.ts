import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bannedUntil, generateKey, isWellFormedKey } from './api-key.ts'
import { DEPLOYMENTS } from './deployment.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX_LENGTH = 'petstore_live_'.length
const CHECKSUM_LENGTH = 6

test('a key shows its deployment', () => {
  assert.match(generateKey('production'), /^petstore_live_[0-9A-Za-z]+$/)
  assert.match(generateKey('staging'), /^petstore_test_[0-9A-Za-z]+$/)
})

test('a key has at least 160 random bits', () => {
  const secrets = Array.from({ length: 2_000 }, () => generateKey('production').slice(PREFIX_LENGTH, -CHECKSUM_LENGTH))
  const length = secrets[0]?.length ?? 0
  assert.ok(length * Math.log2(BASE62.length) >= 160, `${length} base62 digits`)
  for (let position = 0; position < length; position += 1) {
    const seen = new Set(secrets.map(secret => secret.charAt(position)))
    assert.equal(seen.size, BASE62.length, `every digit comes up at position ${position}`)
  }
  assert.equal(new Set(secrets).size, secrets.length)
})

test('a key is well-formed only for its own deployment', () => {
  for (const deployment of DEPLOYMENTS) {
    for (const other of DEPLOYMENTS) {
      assert.equal(isWellFormedKey(generateKey(deployment), other), deployment === other)
    }
  }
})

test('a key with the prefix of the other deployment is not well-formed there', () => {
  const key = generateKey('production').replace('_live_', '_test_')
  assert.equal(isWellFormedKey(key, 'staging'), false)
  assert.equal(isWellFormedKey(key, 'production'), false)
})

test('the checksum catches every change of one character', () => {
  for (let round = 0; round < 3; round += 1) {
    const key = generateKey('production')
    for (let position = 0; position < key.length; position += 1) {
      for (const digit of `${BASE62}_- é`) {
        if (digit === key.charAt(position)) continue
        const typed = key.slice(0, position) + digit + key.slice(position + 1)
        assert.equal(isWellFormedKey(typed, 'production'), false, `${key} typed as ${typed}`)
      }
    }
  }
})

test('the checksum catches every swap of two characters', () => {
  const key = generateKey('production')
  for (let left = 0; left < key.length; left += 1) {
    for (let right = left + 1; right < key.length; right += 1) {
      if (key.charAt(left) === key.charAt(right)) continue
      const typed =
        key.slice(0, left) + key.charAt(right) + key.slice(left + 1, right) + key.charAt(left) + key.slice(right + 1)
      assert.equal(isWellFormedKey(typed, 'production'), false, `${key} typed as ${typed}`)
    }
  }
})

test('a text that is shorter, longer, or in another case is not a key', () => {
  const key = generateKey('staging')
  const others = ['', key.slice(0, -1), key.slice(1), `${key}0`, ` ${key}`, `${key} `, `${key}\n`, key + key]
  others.push(key.toUpperCase(), key.toLowerCase())
  for (const text of others) assert.equal(isWellFormedKey(text, 'staging'), false, JSON.stringify(text))
})

test('a key is banned until the end of its bans, and not at it', () => {
  assert.deepEqual(
    [99, 100].map(now => bannedUntil({ banEndsAt: 100 }, now)),
    [100, undefined],
  )
})
