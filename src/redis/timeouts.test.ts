import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { withTimeout } from './timeouts.ts'

test('a wait ends with its response, and keeps the process running no longer', async () => {
  const timers = () => process.getActiveResourcesInfo().filter(type => type === 'Timeout').length
  const before = timers()
  const answer = Promise.withResolvers<string>()
  const waiting = withTimeout(answer.promise)
  assert.equal(timers(), before + 1)
  answer.resolve('PONG')
  assert.equal(await waiting, 'PONG')
  await nextTurn()
  assert.equal(timers(), before)
  await assert.rejects(withTimeout(Promise.reject(new Error('refused'))), /refused/)
  await nextTurn()
  assert.equal(timers(), before)
})
