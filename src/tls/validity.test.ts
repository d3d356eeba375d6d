import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { makeAuthority } from '../../test/support/certificates.ts'
import type { KeyPair } from './key-pair.ts'
import { dateProblem, daysLeft, isForHost, namesOf, stateOf } from './validity.ts'

const DAY_MS = 86_400_000
const authority = makeAuthority()

test('a certificate expires soon in its last 14 days, or in the last fifth of a short life', () => {
  for (const [days, soonDays] of [
    [398, 14],
    [90, 14],
    [45, 9],
    [6, 1.2],
  ] as const) {
    const validity = { from: 0, until: days * DAY_MS }
    const left = (daysLeft: number) => stateOf(validity, validity.until - daysLeft * DAY_MS)
    assert.equal(left(soonDays + 0.1), 'valid', `${days} days`)
    assert.equal(left(soonDays - 0.1), 'soon', `${days} days`)
    assert.equal(left(0), 'expired')
    assert.deepEqual([stateOf(validity, -1), stateOf(validity, 0)], ['future', 'valid'])
  }
})

test('the words for a date are a sentence', () => {
  const from = Date.parse('2027-01-01T00:00:00Z')
  const until = Date.parse('2027-04-01T12:00:00Z')
  const at = (time: string) => dateProblem({ from, until }, Date.parse(time))
  assert.equal(at('2026-12-31T00:00:00Z'), 'is not valid before 2027-01-01T00:00:00.000Z')
  assert.equal(at('2027-02-01T00:00:00Z'), undefined)
  assert.equal(at('2027-03-29T00:00:00Z'), 'expires on 2027-04-01, in 3 days, and has not been renewed')
  assert.equal(at('2027-03-31T00:00:00Z'), 'expires on 2027-04-01, in 1 day, and has not been renewed')
  assert.equal(at('2027-04-01T00:00:00Z'), 'expires on 2027-04-01, within a day, and has not been renewed')
  assert.equal(at('2027-05-01T00:00:00Z'), 'expired on 2027-04-01')
  assert.equal(daysLeft({ from, until }, Date.parse('2027-04-02T00:00:00Z')), -1)
})

test('names with wildcards and addresses are compared with the host of a URL', () => {
  const pair = issue(['petstore.example', '*.shops.example', '192.0.2.7', '2001:db8::2'])
  assert.equal(namesOf(pair), 'petstore.example, *.shops.example, 192.0.2.7, 2001:DB8:0:0:0:0:0:2')
  for (const host of ['petstore.example', 'a.shops.example', '192.0.2.7', '[2001:db8::2]'])
    assert.ok(isForHost(pair, host), host)
  for (const host of ['www.petstore.example', 'shops.example', '192.0.2.8', '[2001:db8::1]']) {
    assert.ok(!isForHost(pair, host), host)
  }
})

function issue(names: string[]): KeyPair {
  const { cert, key } = authority.issue({ names })
  return { cert, key, chain: [new X509Certificate(cert)] }
}
