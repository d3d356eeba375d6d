import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { PetstoreClient } from '../../client/src/index.ts'
import { call } from '../support/call.ts'
import { clientOn, errorOf, fastClock, runWith } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { CUT_AFTER, inTurn } from '../support/faults.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { startTestService } from '../support/service.ts'

// What the client reports about the limits, and how it stays within them.

const service = await startTestService({ after })

test('after the first call the remaining calls of every window are known, including the calls of others', async () => {
  const { key } = await service.createCaller({ limits: { perMinute: 10, perDay: 100 } })
  const client = clientOf(key)
  const before = Date.now()
  const first = client.rateLimit
  assert.equal(first, undefined)
  await client.pets.list()
  const rateLimit = client.rateLimit
  assert.deepEqual([rateLimit?.limit, rateLimit?.remaining], [10, 9])
  assert.deepEqual(
    rateLimit?.windows.map(({ name, limit, remaining }) => `${name} ${remaining} of ${limit}`),
    ['minute 9 of 10', 'day 99 of 100'],
  )
  const inMs = Number(rateLimit?.resetAt) - before
  assert.ok(inMs > 55_000 && inMs < 65_000, `${inMs} ms`)

  for (let calls = 0; calls < 3; calls += 1) await call(service, { path: '/v1/pets', key })
  await client.pets.list()
  assert.equal(client.rateLimit?.remaining, 5)
})

test('all clients of a process with the same key share what they know', async () => {
  const { key } = await service.createCaller({ limits: { perMinute: 10 } })
  const [one, other] = [clientOf(key), clientOf(key)]
  await one.pets.list()
  assert.deepEqual(other.rateLimit, one.rateLimit)
  assert.equal(clientOf((await service.createCaller()).key).rateLimit, undefined)
})

test('a refusal for an invalid key reveals nothing about the account', async () => {
  const client = clientOf('petstore_live_x')
  await errorOf(client.pets.list())
  assert.equal(client.rateLimit, undefined)
})

test('if the day has fewer calls left than the minute, the day is shown', async () => {
  const { key } = await service.createCaller({ limits: { perMinute: 10, perDay: 5 } })
  const client = clientOf(key)
  await client.pets.list()
  assert.deepEqual([client.rateLimit?.limit, client.rateLimit?.remaining], [5, 4])
})

test('a paced client uses half of the minute at once and spreads the rest', async t => {
  const { client, proxy, clock } = await startOnMinutes(t, 20, { isPaced: true, speed: 10 })
  const startedAt = clock.now()
  await Promise.all(Array.from({ length: 20 }, () => client.pets.list()))
  const times = proxy.requests.map(({ at }) => at - startedAt)
  assert.equal(times.length, 20, 'none was refused')
  // Each of the others waits for its share of the rest of the minute.
  for (let index = 12; index < 20; index += 1) {
    const gap = (times[index] ?? 0) - (times[index - 1] ?? 0)
    assert.ok(gap >= 500, `${gap} ms before request ${index + 1}: ${times.map(Math.round)}`)
  }
  assert.ok((times[19] ?? 0) >= 30_000, `the last after ${times[19]} ms`)
})

test('an unpaced client uses the whole minute immediately', async t => {
  const { client, proxy, clock } = await startOnMinutes(t, 20, { speed: 5 })
  const startedAt = clock.now()
  await Promise.all(Array.from({ length: 20 }, () => client.pets.list()))
  assert.ok(clock.now() - startedAt < 60_000)
  assert.equal(proxy.requests.length, 20)
})

test('calls with lost responses may have been counted: others wait until one call has checked', async t => {
  const { client, proxy } = await startOnMinutes(t, 10, { speed: 5 })
  await client.pets.list()
  proxy.choose = inTurn(...Array.from({ length: 9 }, () => CUT_AFTER))
  const leaving = new AbortController()
  const calls = Array.from({ length: 14 }, () => errorOf(client.pets.list({ signal: leaving.signal })))
  await eventually(() => assert.ok(proxy.requests.some(({ status }) => status === 429)))
  await proxy.settled()
  leaving.abort()
  await Promise.all(calls)
  assert.equal(proxy.requests.filter(({ status }) => status === 429).length, 1)
})

function clientOf(apiKey: string): PetstoreClient {
  return new PetstoreClient({ apiKey, baseUrl: `${service.url}/v1`, timeoutMs: 5_000 })
}

/** A service and a client with shorter minutes. */
async function startOnMinutes(t: TestContext, perMinute: number, { isPaced = false, speed = 60 } = {}) {
  const own = await startTestService(t)
  const clock = fastClock(speed)
  runWith(own, clock)
  const { key } = await own.createCaller({ limits: { perMinute } })
  const proxy = await startFaultyProxy(t, own.url, { now: () => clock.now() })
  return { client: clientOn(clock, proxy.url, key, { isPaced }), proxy, clock }
}
