import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from './support/call.ts'
import { startOperatorService } from './support/operator.ts'
import { petJson } from './support/pets.ts'

// What is deleted while the clock is wrong is tested in src/app/expiry.test.ts.

const DAY_MS = 86_400_000

test('a service whose clock is 400 days ahead says so, and repeats no creation, neither then nor later', async t => {
  const service = await startOperatorService(t, { backend: 'embedded' })
  const { key } = await service.createCaller()
  const headers = { 'Idempotency-Key': 'order-17' }
  const creation = { method: 'POST', path: '/v1/pets', key, body: petJson(), headers }
  const { body: created } = await call(service, creation)
  const healthOf = async ({ call: ask }: typeof service) =>
    (await ask('GET', '/health')).value.parts.find(({ part }: { part: string }) => part === 'clock')
  assert.equal((await healthOf(service)).state, 'ok')
  await service.close()

  const wrong = await service.startAnother({ now: service.clock.now + 400 * DAY_MS })
  const doubt = /^The clock shows 2028-04-04T12:00:00Z, 400 days after .*2027-03-01T12:00:00Z.*confirm-clock\.$/
  const errors = wrong.logs.map(line => JSON.parse(line)).filter(({ level }) => level === 50)
  assert.deepEqual([errors.length, doubt.test(errors[0]?.msg)], [1, true])
  const { state, message, since } = await healthOf(wrong)
  assert.deepEqual([state, since], ['degraded', '2028-04-04T12:00:00.250Z'])
  assert.match(message, doubt)
  const again = await call(wrong, creation)
  assert.deepEqual([again.header('idempotency-replayed'), again.body], ['true', created])
  await wrong.close()

  const right = await service.startAnother({ now: service.clock.now + 60_000 })
  const later = await call(right, creation)
  assert.deepEqual([later.header('idempotency-replayed'), later.body], ['true', created])
  assert.equal((await healthOf(right)).state, 'ok')
  await right.close()

  const behind = await service.startAnother({ now: service.clock.now - 3_600_000 })
  const { state: stateBehind, message: words } = await healthOf(behind)
  assert.deepEqual(
    [stateBehind, / seconds before the newest time in the store .*; correct it\.$/.test(words)],
    ['failing', true],
  )
})
