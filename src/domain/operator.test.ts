import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey, isWellFormedKey } from './api-key.ts'
import { DEPLOYMENTS } from './deployment.ts'
import { generateToken, isUsable, isWellFormedToken, type OperatorToken, PEOPLE, parseRole } from './operator.ts'

const NOW = Date.UTC(2027, 2, 1)

test('a token shows its deployment, and is well-formed only for that one', () => {
  assert.match(generateToken('production'), /^petstore_operator_live_[0-9A-Za-z]+$/)
  assert.match(generateToken('staging'), /^petstore_operator_test_[0-9A-Za-z]+$/)
  for (const deployment of DEPLOYMENTS) {
    for (const other of DEPLOYMENTS) {
      assert.equal(isWellFormedToken(generateToken(deployment), other), deployment === other)
    }
  }
})

test('a token is not an API key, and an API key is not a token', () => {
  for (const deployment of DEPLOYMENTS) {
    assert.equal(isWellFormedKey(generateToken(deployment), deployment), false)
    assert.equal(isWellFormedToken(generateKey(deployment), deployment), false)
  }
})

test('a token is usable until it expires or is revoked', () => {
  const token: OperatorToken = {
    id: 1n,
    name: 'Ada',
    role: 'admin',
    source: undefined,
    hint: 'abcd',
    createdAt: NOW,
    expiresAt: undefined,
    revokedAt: undefined,
  }
  assert.equal(isUsable(token, Number.MAX_SAFE_INTEGER), true)
  assert.equal(isUsable({ ...token, expiresAt: NOW + 1 }, NOW), true)
  assert.equal(isUsable({ ...token, expiresAt: NOW }, NOW), false)
  assert.equal(isUsable({ ...token, revokedAt: NOW }, NOW), false)
  assert.equal(isUsable({ ...token, revokedAt: NOW + 9 }, NOW), false, 'whatever the clock says')
})

test('a role is found by its exact name, and the message for an unknown one lists all roles', () => {
  for (const role of PEOPLE) assert.equal(parseRole(role), role)
  for (const text of ['Admin', ' staff', '', 'owner', 'feed', 'constructor']) {
    assert.throws(() => parseRole(text), { name: 'UserError', kind: 'invalid', message: /staff, admin/ })
  }
})
