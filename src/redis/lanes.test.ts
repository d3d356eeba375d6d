import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Lanes } from './lanes.ts'

/** Tasks that go on until they are told to end. */
function openTasks(lanes: Lanes, name: string, count: number, room: () => number) {
  const begun: number[] = []
  const ends = Array.from({ length: count }, () => Promise.withResolvers<void>())
  const results = ends.map(({ promise }, index) =>
    lanes.run(name, room, async () => {
      begun.push(index)
      await promise
      return index
    }),
  )
  return { begun, ends, results }
}

test('of one name only so many run at once as there is room for, and always one, in turn', async () => {
  const lanes = new Lanes()
  let room = 2
  const { begun, ends, results } = openTasks(lanes, 'a', 5, () => room)
  await setImmediate()
  assert.deepEqual(begun, [0, 1])
  ends[1]?.resolve()
  assert.equal(await results[1], 1)
  assert.deepEqual(begun, [0, 1, 2])
  room = 0
  ends[0]?.resolve()
  await setImmediate()
  assert.deepEqual(begun, [0, 1, 2], 'one is still running')
  for (const { resolve } of ends) resolve()
  assert.deepEqual(await Promise.all(results), [0, 1, 2, 3, 4])
  assert.deepEqual(begun, [0, 1, 2, 3, 4])
})

test('names do not wait for each other', async () => {
  const lanes = new Lanes()
  const first = openTasks(lanes, 'a', 1, () => 1)
  const second = openTasks(lanes, 'b', 1, () => 1)
  second.ends[0]?.resolve()
  assert.equal(await second.results[0], 0)
  first.ends[0]?.resolve()
  await first.results[0]
})

test('those that wait behind a task that fails fail with it, and what comes later is tried again', async () => {
  const lanes = new Lanes()
  const { begun, ends, results } = openTasks(lanes, 'a', 4, () => 1)
  await setImmediate()
  ends[0]?.reject(new Error('broken'))
  const outcomes = await Promise.allSettled(results)
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.deepEqual(begun, [0])
  assert.equal(
    await lanes.run(
      'a',
      () => 1,
      async () => 'works',
    ),
    'works',
  )
})
