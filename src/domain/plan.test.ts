import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UserError } from './errors.ts'
import { limitsOf, PLANS, parsePlan } from './plan.ts'

test('each fixed plan has the limits of the specification', () => {
  assert.deepEqual(limitsOf('free'), { perMinute: 60, perDay: 1_000 })
  assert.deepEqual(limitsOf('pro'), { perMinute: 300, perDay: 10_000 })
  assert.deepEqual(limitsOf('business'), { perMinute: 1_000, perDay: 100_000 })
})

test('a fixed plan allows no other limits', () => {
  for (const plan of ['free', 'pro', 'business'] as const) {
    assert.throws(() => limitsOf(plan, { perMinute: 60 }), UserError)
    assert.throws(() => limitsOf(plan, { perDay: 1_000 }), UserError)
  }
})

test('enterprise requires both limits', () => {
  assert.deepEqual(limitsOf('enterprise', { perMinute: 5, perDay: 7 }), { perMinute: 5, perDay: 7 })
  for (const own of [{}, { perMinute: 5 }, { perDay: 7 }]) {
    assert.throws(() => limitsOf('enterprise', own), /needs both limits/)
  }
})

test('a limit is a whole number from 1 to a billion', () => {
  for (const good of [1, 1_000_000_000]) {
    assert.deepEqual(limitsOf('enterprise', { perMinute: good, perDay: good }), { perMinute: good, perDay: good })
  }
  for (const bad of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1_000_000_001]) {
    assert.throws(() => limitsOf('enterprise', { perMinute: bad, perDay: 1 }), UserError, `${bad} a minute`)
    assert.throws(() => limitsOf('enterprise', { perMinute: 1, perDay: bad }), UserError, `${bad} a day`)
  }
})

test('a plan is found by its exact name, and the message for an unknown one lists all plans', () => {
  for (const plan of PLANS) assert.equal(parsePlan(plan), plan)
  for (const text of ['Free', 'FREE', ' free', '', 'gold', 'constructor']) {
    assert.throws(() => parsePlan(text), { name: 'UserError', message: /free, pro, business, enterprise/ })
  }
})
