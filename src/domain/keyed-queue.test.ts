import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { KeyedQueue } from './keyed-queue.ts'

/** Tasks that run until the test ends them. */
function openTasks(queue: KeyedQueue, name: string, count: number, room: () => number) {
  const begun: number[] = []
  const ends = Array.from({ length: count }, () => Promise.withResolvers<void>())
  const results = ends.map(({ promise }, index) =>
    queue.run(name, room, async () => {
      begun.push(index)
      await promise
      return index
    }),
  )
  return { begun, ends, results }
}

test('the tasks of one key run in order, as many at a time as there is room for, and at least one', async () => {
  const queue = new KeyedQueue()
  let room = 2
  const { begun, ends, results } = openTasks(queue, 'a', 5, () => room)
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

test('tasks of different keys do not wait for each other', async () => {
  const queue = new KeyedQueue()
  const first = openTasks(queue, 'a', 1, () => 1)
  const second = openTasks(queue, 'b', 1, () => 1)
  second.ends[0]?.resolve()
  assert.equal(await second.results[0], 0)
  first.ends[0]?.resolve()
  await first.results[0]
})

test('tasks waiting behind one that fails fail with it, and later tasks run again', async () => {
  const queue = new KeyedQueue()
  const { begun, ends, results } = openTasks(queue, 'a', 4, () => 1)
  await setImmediate()
  ends[0]?.reject(new Error('broken'))
  const outcomes = await Promise.allSettled(results)
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.deepEqual(begun, [0])
  assert.equal(
    await queue.run(
      'a',
      () => 1,
      async () => 'works',
    ),
    'works',
  )
})
