import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csrfTokenOf, generateSession, isCsrfToken } from './session.ts'

test('a session’s secret carries 256 random bits and fits into a cookie', () => {
  const secrets = Array.from({ length: 1_000 }, generateSession)
  assert.equal(new Set(secrets).size, secrets.length)
  for (const secret of secrets) assert.match(secret, /^petstore_session_[A-Za-z0-9_-]{43}$/)
})

test('each session has a CSRF token of its own, which does not show its secret', () => {
  const [one, other] = [generateSession(), generateSession()]
  const token = csrfTokenOf(one)
  assert.equal(csrfTokenOf(one), token)
  assert.ok(isCsrfToken(token, one))
  assert.ok(!isCsrfToken(token, other))
  assert.ok(!token.includes(one) && !one.includes(token))
})

test('what is not exactly the CSRF token is none', () => {
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
