import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { CreationsPlan, CreationsResult } from '../support/creations-thread.ts'
import { ROUNDS } from '../support/duration-factor.ts'

const PLAN: CreationsPlan = {
  creations: 2_500 * ROUNDS,
  callers: 32,
  perMinute: 600,
  // A minute of the service and of the client lasts one second.
  speed: 60,
  faultShare: 0.05,
  seed: 5,
}

test('thousands of creations by 32 callers on a small plan, with faults, create one animal each and earn no ban', async t => {
  const { created, stored, bans, requests, watched, refused, minutes, faults } = await carryOut(t, PLAN)
  t.diagnostic(`${requests} requests in ${minutes.toFixed(1)} minutes; the service refused ${refused}`)
  t.diagnostic(`the hooks saw ${JSON.stringify(watched)}`)
  assert.equal(stored.size, PLAN.creations)
  assert.deepEqual(stored, created, 'each animal once, with the id that its creation returned')
  assert.equal(bans, 0)
  assert.ok(minutes > PLAN.creations / PLAN.perMinute - 1, 'the limit held')
  assert.ok(refused <= PLAN.creations / 100, 'what would be refused is not sent')
  assert.equal(watched.requests, requests, 'the hooks saw each request')
  assert.equal(watched.responses, created.size, 'and the response of each creation once')
  assert.equal(watched.failures, requests - created.size)
  for (const met of faults) assert.ok(met > 0, `each fault was met: ${faults}`)
})

/** In a separate thread: the test runner tracks every promise and socket of this one, which costs as much as the test itself. */
async function carryOut(t: TestContext, plan: CreationsPlan): Promise<CreationsResult> {
  const thread = new Worker(new URL('../support/creations-thread.ts', import.meta.url), { workerData: plan })
  t.after(async () => void (await thread.terminate()))
  const [result] = await once(thread, 'message')
  await once(thread, 'exit')
  return result
}
