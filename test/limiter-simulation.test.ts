import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PLANS } from '../src/domain/plan.ts'
import { hashSlot } from './limiter-simulation/hash-slot.ts'
import { simulate } from './limiter-simulation/simulation.ts'

const SIZE = { instances: 100, accounts: 500, callsPerSecond: 2_500 }
const outcome = simulate(SIZE, 75)
const partsOf = (stage: string) => outcome.parts.filter(part => part.stage === stage)

test('while Redis counts, many instances admit exactly what one counter would', () => {
  const parts = partsOf('Redis counts')
  assert.deepEqual(
    parts.map(({ plan }) => plan),
    [...PLANS],
  )
  for (const { plan, calls, admitted, exact, over, under } of parts) {
    assert.ok(admitted > 0, plan)
    assert.deepEqual({ admitted, over, under }, { admitted: exact, over: 0, under: 0 }, plan)
    assert.ok(plan === 'enterprise' || admitted < calls, `${plan} meets its limits`)
  }
})

test('no account exceeds its bound, whatever happens to Redis', () => {
  assert.deepEqual(
    outcome.parts.filter(({ ofBound }) => ofBound > 1),
    [],
  )
  for (const stage of ['Redis counts', 'Redis is back', 'Redis was flushed']) {
    assert.equal(Math.max(...partsOf(stage).map(({ ofBound }) => ofBound)), 1, `${stage}: the bound is reached`)
  }
  for (const { plan, ofBound } of partsOf('Redis is gone')) {
    assert.ok(plan === 'enterprise' || ofBound > 0.8, `${plan}: a share can be used up, but only ${ofBound} of it was`)
  }
})

test('no call is counted twice, so that none is refused for it when Redis is back', () => {
  assert.deepEqual(
    outcome.parts.filter(({ twice }) => twice > 0),
    [],
  )
})

test('without Redis an account that calls through all instances gets its calls, one with one connection a share of them', () => {
  const [one, , all] = outcome.aloneByConnections.map(({ share }) => share)
  assert.ok((all as number) > 0.9, `${all} of what one counter would admit`)
  assert.ok((one as number) < 0.5, `${one} of what one counter would admit`)
})

test('two runs give the same results', () => {
  assert.deepEqual(simulate({ ...SIZE, callsPerSecond: 100 }, 61), simulate({ ...SIZE, callsPerSecond: 100 }, 61))
})

test('a key is in the slot that the specification of Redis clusters says', () => {
  // The check value of CRC-16/XMODEM, and the examples of the specification's appendix and of its section on hash tags.
  assert.equal(hashSlot('123456789'), 0x31c3)
  assert.equal(hashSlot('{user1000}.following'), hashSlot('user1000'))
  assert.equal(hashSlot('foo{{bar}}zap'), hashSlot('{bar'))
  assert.notEqual(hashSlot('foo{}{bar}'), hashSlot('bar'))
})
