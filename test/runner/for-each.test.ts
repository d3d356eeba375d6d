import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { forEach, type Pace } from './for-each.ts'

test('as many items as allowed are in work, each of them once and in order', async () => {
  assert.deepEqual(await workOn(5, { atOnce: 3 }), { most: 3, begun: [0, 1, 2, 3, 4] })
})

test('on a busy machine, fewer are', async () => {
  const pace = { atOnce: 3, atOnceWhileBusy: 1, isBusy: () => true }
  assert.deepEqual(await workOn(5, pace), { most: 1, begun: [0, 1, 2, 3, 4] })
})

async function workOn(count: number, pace: Pace) {
  const begun: number[] = []
  let most = 0
  let current = 0
  await forEach([...Array(count).keys()], pace, async item => {
    begun.push(item)
    current += 1
    most = Math.max(most, current)
    await nextTurn()
    current -= 1
  })
  return { most, begun }
}
