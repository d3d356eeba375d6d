import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csrfTokenOf, generateSession, isCsrfToken } from './session.ts'

test('the secret of a session has 256 random bits and fits into a cookie', () => {
  const secrets = Array.from({ length: 1_000 }, generateSession)
  assert.equal(new Set(secrets).size, secrets.length)
  for (const secret of secrets) assert.match(secret, /^petstore_session_[A-Za-z0-9_-]{43}$/)
})

test('each session has its own CSRF token, which does not reveal its secret', () => {
  const [one, other] = [generateSession(), generateSession()]
  const token = csrfTokenOf(one)
  assert.equal(csrfTokenOf(one), token)
  assert.ok(isCsrfToken(token, one))
  assert.ok(!isCsrfToken(token, other))
  assert.ok(!token.includes(one) && !one.includes(token))
})

test('a text that is not exactly the CSRF token is refused', () => {
  const secret = generateSession()
  const token = csrfTokenOf(secret)
  const flipped = (token.startsWith('A') ? 'B' : 'A') + token.slice(1)
  for (const text of [
    '',
    secret,
    token.slice(0, -1),
    `${token}=`,
    ` ${token}`,
    token.toUpperCase(),
    flipped,
    '🐕'.repeat(9),
  ]) {
    assert.equal(isCsrfToken(text, secret), false, text)
  }
})
