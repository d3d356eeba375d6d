import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { SYSTEM_CLOCK, sleep } from './clock.ts'

test('a function does not run early, even if a timer goes off early', async t => {
  const early = t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) => setImmediate(run) && ms)
  const startedAt = performance.now()
  await new Promise<void>(resolve => SYSTEM_CLOCK.after(50, resolve))
  assert.ok(performance.now() - startedAt >= 50)
  assert.ok(early.mock.callCount() >= 1)
})

test('a function can wait longer than the longest timer', async t => {
  const set = t.mock.method(globalThis, 'setTimeout')
  for (const ms of [2 ** 31, 1e12, Number.POSITIVE_INFINITY]) {
    const cancel = SYSTEM_CLOCK.after(ms, () => assert.fail('done'))
    await wait(20)
    cancel()
  }
  // A timer that is set for too long goes off at once, again and again.
  assert.equal(set.mock.callCount(), 3)
})

test('a cancelled function does not run', async () => {
  const cancel = SYSTEM_CLOCK.after(5, () => assert.fail('done'))
  cancel()
  await wait(20)
})

test('an aborted sleep rejects with the reason and leaves no timer', async () => {
  const before = timers()
  const stop = new AbortController()
  const waiting = sleep(SYSTEM_CLOCK, 60_000, stop.signal)
  assert.equal(timers(), before + 1)
  stop.abort('stopped')
  assert.equal(await waiting.catch(reason => reason), 'stopped')
  assert.equal(timers(), before)
  await assert.rejects(sleep(SYSTEM_CLOCK, 0, AbortSignal.abort(new Error('before'))), /before/)
})

test('a finished sleep leaves no listener on its signal', async t => {
  const { signal } = new AbortController()
  const added = t.mock.method(signal, 'addEventListener')
  const removed = t.mock.method(signal, 'removeEventListener')
  await sleep(SYSTEM_CLOCK, 1, signal)
  assert.equal(added.mock.callCount(), 1)
  assert.deepEqual(removed.mock.calls[0]?.arguments, added.mock.calls[0]?.arguments.slice(0, 2))
})

function timers(): number {
  return process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
}
