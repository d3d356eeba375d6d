import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { SYSTEM_CLOCK } from '../../client/src/clock.ts'
import { BannedError, PetstoreClient, RateLimitError } from '../../client/src/index.ts'
import { DEFAULT_MAX_WAIT_MS, pauseBefore } from '../../client/src/retry.ts'
import { clientOn, errorOf, fastClock, runWith } from '../support/client.ts'
import { type Fault, inTurn, LIMIT_HEADERS, refusal } from '../support/faults.ts'
import { assertNoneEarly, pausesOf, startFaultyProxy } from '../support/faulty-proxy.ts'
import { startTestService } from '../support/service.ts'

// How long the client waits, as seen by a proxy between it and the service that records the time of each request.

const OVER_LIMIT = (seconds: number) => refusal(429, 'rate_limit_exceeded', seconds)

const service = await startTestService({ after })

test('all clients with one key wait together for the second given by Retry-After, in real time', async t => {
  const { key } = await service.createCaller()
  const choose = inTurn(OVER_LIMIT(1))
  const proxy = await startFaultyProxy(t, service.url, { choose, now: () => SYSTEM_CLOCK.now() })
  const clients = Array.from({ length: 4 }, () => new PetstoreClient({ apiKey: key, baseUrl: `${proxy.url}/v1` }))
  const calls = clients.flatMap(({ pets }) => [pets.list(), pets.create({ name: 'Rex', categoryId: 1 })])
  await Promise.all(calls)
  assertNoneEarly(proxy.requests)
  assert.equal(proxy.requests[0]?.status, 429)
  assert.equal(proxy.requests.length, 9, 'one was refused, and sent again; the others were sent once')
})

test('calls with another key do not wait', async t => {
  const keys = [(await service.createCaller()).key, (await service.createCaller()).key] as const
  const proxy = await startFaultyProxy(t, service.url, { choose: inTurn(OVER_LIMIT(3_600)) })
  const [refused, other] = [clientOf(keys[0]), clientOf(keys[1])]
  assert.ok((await errorOf(refused.pets.list())) instanceof RateLimitError)
  await other.pets.list()
  assert.deepEqual(
    proxy.requests.map(({ key }) => key),
    keys,
  )

  function clientOf(apiKey: string) {
    return new PetstoreClient({ apiKey, baseUrl: `${proxy.url}/v1` })
  }
})

test('if the service is unavailable, all calls wait as long as it says', async t => {
  const { client, proxy } = await start(t, [refusal(503, 'service_unavailable', 2)])
  await Promise.all(Array.from({ length: 6 }, () => client.pets.list()))
  assertNoneEarly(proxy.requests)
  assert.equal(proxy.requests.length, 7)
})

test('a caller that is refused again waits longer than Retry-After, twice as much longer each time, until a call is admitted', async t => {
  const faults = [...Array.from({ length: 4 }, () => OVER_LIMIT(1)), undefined, OVER_LIMIT(1)]
  const { client, proxy } = await start(t, faults, () => 0, 100)
  await client.pets.list()
  await client.pets.list()
  const pauses = pausesOf(proxy.requests)
  assertNoneEarly(proxy.requests)
  for (const [index, addition] of [0, 60_000, 120_000, 240_000].entries()) {
    assert.ok((pauses[index] ?? 0) >= 1_000 + addition, `${pauses[index]} ms`)
  }
  assert.ok((pauses[5] ?? 0) < 60_000, `${pauses[5]} ms`)
})

test('the client also waits after a refusal by the limits without Retry-After', async t => {
  const { client, proxy } = await start(t, [refusal(429, 'rate_limit_exceeded')])
  await client.pets.list()
  const [pause = 0] = pausesOf(proxy.requests)
  assert.ok(pause >= 1_000, `${pause} ms`)
})

test('without Retry-After, the maximum pause doubles', async t => {
  const failures = Array.from({ length: 4 }, () => refusal(500, 'internal_error'))
  const { client, proxy } = await start(t, failures, () => 1 - Number.EPSILON)
  await client.pets.list()
  const pauses = pausesOf(proxy.requests)
  assert.equal(pauses.length, 4)
  for (const [index, atLeast] of [250, 500, 1_000, 2_000].entries()) {
    assert.ok((pauses[index] ?? 0) >= atLeast * 0.999, `${pauses[index]} ms, the longest of ${atLeast} ms`)
  }
})

test('a pause without Retry-After is random, and never exceeds half a minute', () => {
  for (const [attempt, longest] of [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].entries()) {
    for (const share of [0, 0.25, 0.999]) {
      assert.equal(
        pauseBefore(attempt + 1, undefined, () => share),
        share * longest,
      )
    }
  }
})

test('a pause with Retry-After is never shortened, and only slightly longer', () => {
  for (const seconds of [1, 7, 60, 86_400]) {
    const headers = new Headers({ 'retry-after': String(seconds), ...LIMIT_HEADERS })
    const maxWaitMs = DEFAULT_MAX_WAIT_MS
    const answer = { status: 500, headers, baseUrl: '', text: '', receivedAt: 0, maxWaitMs, requestId: '' }
    const pause = (share: number) => pauseBefore(1, answer, () => share)
    assert.equal(pause(0), seconds * 1_000)
    assert.ok(pause(0.999) > seconds * 1_000 && pause(0.999) <= seconds * 1_000 + Math.min(1_000, seconds * 100))
  }
})

test('the client also waits for the end of a ban, if there is time', async t => {
  const { client, proxy } = await start(t, [refusal(429, 'api_key_banned', 3)])
  await Promise.all([client.pets.list(), client.pets.list()])
  assertNoneEarly(proxy.requests)
  assert.deepEqual(
    proxy.requests.map(({ status }) => status),
    [429, 200, 200],
  )
})

for (const [code, expected] of [
  ['rate_limit_exceeded', RateLimitError],
  ['api_key_banned', BannedError],
] as const) {
  test(`${code} for longer than the call may take rejects immediately, and so do later calls, which are not sent`, async t => {
    const { key } = await service.createCaller()
    const proxy = await startFaultyProxy(t, service.url, { choose: inTurn(refusal(429, code, 3_600)) })
    const client = new PetstoreClient({ apiKey: key, baseUrl: `${proxy.url}/v1` })
    const before = Date.now()
    for (const call of [client.pets.list(), client.pets.list(), client.pets.create({ name: 'Rex', categoryId: 1 })]) {
      const error = await errorOf(call)
      assert.ok(error instanceof expected, String(error))
      assert.equal(error.code, code)
      const inMs = Number(error.retryAt) - before
      assert.ok(inMs >= 3_600_000 && inMs < 3_660_000, `${inMs} ms`)
    }
    assert.equal(proxy.requests.length, 1)
  })
}

test('more parallel calls than a minute allows are spread over minutes, and none is refused', async t => {
  const { client, proxy } = await startOnMinutes(t, 5)
  await Promise.all(Array.from({ length: 12 }, () => client.pets.list()))
  assert.deepEqual(
    proxy.requests.map(({ status }) => status),
    Array.from({ length: 12 }, () => 200),
  )
})

test("if others have used up the account's calls, the client waits as the service's refusal says", async t => {
  const { client, proxy, key, url } = await startOnMinutes(t, 5, 10)
  await client.pets.list()
  for (let calls = 0; calls < 4; calls += 1) {
    await fetch(`${url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })
  }
  await Promise.all(Array.from({ length: 4 }, () => client.pets.list()))
  const refused = proxy.requests.filter(({ status }) => status === 429)
  assert.ok(refused.length >= 1 && refused.length <= 4, 'those that were under way together')
  const retryTimes = refused.map(({ answeredAt = 0, retryAfterSeconds = 0 }) => answeredAt + retryAfterSeconds * 1_000)
  const next = proxy.requests[1 + refused.length]
  assert.equal(next?.status, 200)
  assert.ok(next.at >= Math.max(...retryTimes), 'not before the time of Retry-After')
})

/** A client with a faster clock, and faults for its requests. */
async function start(t: TestContext, faults: readonly (Fault | undefined)[], random?: () => number, speed = 10) {
  const { key } = await service.createCaller()
  const clock = fastClock(speed)
  const proxy = await startFaultyProxy(t, service.url, { choose: inTurn(...faults), now: () => clock.now() })
  return { client: clientOn(clock, proxy.url, key, random && { random }), proxy }
}

/** A service and a client whose minutes last half a second, or longer. */
async function startOnMinutes(t: TestContext, perMinute: number, speed = 120) {
  const own = await startTestService(t)
  const clock = fastClock(speed)
  runWith(own, clock)
  const { key } = await own.createCaller({ limits: { perMinute } })
  const proxy = await startFaultyProxy(t, own.url, { now: () => clock.now() })
  return { client: clientOn(clock, proxy.url, key), proxy, key, url: own.url }
}
