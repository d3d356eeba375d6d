import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROGRAM } from './support/command-line.ts'
import { canRunInstances } from './support/servers/instances.ts'
import { callBalancer, startUnderLoad } from './support/servers/steady-load.ts'

test('three instances are restarted one after the other under load, and no call fails', async t => {
  if (!canRunInstances(t)) return
  const load = await startUnderLoad(t, PROGRAM)
  const restarts = await load.replaceAll(PROGRAM)
  await load.stop()

  assert.deepEqual(load.failures, [])
  assert.deepEqual(Object.keys(load.statuses).toSorted(), ['GET 200', 'POST 201'])
  const next = await callBalancer(load.port, load.key, 'POST', false)
  assert.equal(
    next.id,
    (load.statuses['POST 201'] ?? 0) + 1,
    'each creation made one animal: none failed, so that ids have no gaps',
  )
  const steps = restarts.map(
    ({ stopping, starting }) => `${stopping} calls while one stopped, ${starting} while it started`,
  )
  t.diagnostic(`${load.answered()} calls: ${JSON.stringify(load.statuses)}, none failed; ${steps.join('; ')}`)
})
