import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { NEVER_OVERLOADED, Overload } from '../domain/overload.ts'
import { CallQueue } from './call-queue.ts'

test('calls begin in the order in which they come, the first of them at once', async () => {
  const { queue, begun } = open()
  for (let call = 0; call < 50; call++) queue.add(call)
  assert.equal(begun[0], 0)
  await allOf(begun, 50)
  queue.add(50)
  assert.equal(begun.at(-1), 50)
  assert.deepEqual(
    begun,
    Array.from({ length: 51 }, (_, call) => call),
  )
})

test('the event loop turns at least once for every two calls that take a turn each', async () => {
  const { queue, begun } = open()
  for (let call = 0; call < 50; call++) queue.add(call)
  let turns = 0
  const count = () => {
    turns++
    if (begun.length < 50) setImmediate(count)
  }
  setImmediate(count)
  await allOf(begun, 50)
  assert.ok(turns >= 25, `${turns} turns`)
})

test('during an overload, calls that have waited too long are refused, and those behind them are not', async () => {
  const { queue, begun, refused } = open(
    new Overload({}, { longWaitMs: 20, standingMs: 10, maxWaitMs: 15, quietMs: 0 }),
  )
  for (let call = 0; call < 60; call++) queue.add(call)
  await allOf(begun, 60, refused)
  assert.ok(refused.length > 0, `${begun.length} begun, ${refused.length} refused`)
  // All arrived at the same time, so the last ones have waited longest.
  assert.deepEqual(
    refused,
    Array.from({ length: refused.length }, (_, one) => begun.length + one),
  )
  queue.add(60)
  assert.equal(begun.at(-1), 60)
})

test('the end of an overload is noticed although no further call comes', async () => {
  const overload = new Overload({}, { longWaitMs: 20, standingMs: 10, maxWaitMs: 15, quietMs: 150 })
  const { queue, begun, refused } = open(overload)
  for (let call = 0; call < 60; call++) queue.add(call)
  await allOf(begun, 60, refused)
  assert.ok(refused.length > 0)
  await eventually(() => assert.ok(!overload.isOn))
})

/** A queue of calls that take a millisecond of the processor each. */
function open(overload = new Overload({}, NEVER_OVERLOADED)) {
  const begun: number[] = []
  const refused: number[] = []
  const queue = new CallQueue<number>(overload, {
    begin(call) {
      begun.push(call)
      const endsAt = performance.now() + 1
      while (performance.now() < endsAt);
    },
    refuse: call => void refused.push(call),
  })
  return { queue, begun, refused }
}

async function allOf(begun: readonly number[], count: number, refused: readonly number[] = []): Promise<void> {
  while (begun.length + refused.length < count) await new Promise(setImmediate)
}
