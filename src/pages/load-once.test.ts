import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadOnce } from './load-once.ts'

test('a value is loaded once, however many need it, and after a failure again', async () => {
  let loads = 0
  const load = loadOnce(async () => {
    loads += 1
    if (loads === 1) throw new Error('It cannot be read.')
    return loads
  })
  for (const failed of [load(), load()]) await assert.rejects(failed, { message: 'It cannot be read.' })
  assert.deepEqual([await load(), await load(), loads], [2, 2, 2])
})
