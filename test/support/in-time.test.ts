import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pause } from '../../src/sqlite/pause.ts'
import { inTime } from './in-time.ts'

test('work that ends in time has its outcome, also if this process was blocked for longer', async () => {
  const ending = inTime(300, 'the work', sleep(100, 'done'))
  pause(500)
  assert.equal(await ending, 'done')
  await assert.rejects(inTime(300, 'the work', Promise.reject(new Error('no'))), { message: 'no' })
})

test('work that takes too long fails, with the time that it had', async () => {
  const never = new Promise(() => {})
  await assert.rejects(inTime(300, 'the work', never), { message: 'the work took longer than 300 ms.' })
})
