import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import {
  BannedError,
  NetworkError,
  PetstoreClient,
  RateLimitError,
  type RequestEvent,
  type ResponseEvent,
  ServiceError,
  type WaitEvent,
} from '../../client/src/index.ts'
import { clientOn, errorOf, fastClock, runWith } from '../support/client.ts'
import { CUT_AFTER, delay, type Fault, inTurn, refusal } from '../support/faults.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { startTestService } from '../support/service.ts'

// What programs can watch: each request, each response, each wait.

const SPEED = 50

const service = await startTestService({ after })

test('hooks see every attempt, why it failed, and how long the next one waits', async t => {
  const { pets, seen, url } = await start(t, [CUT_AFTER, refusal(500, 'internal_error', 2)])
  const { id } = await pets.create({ name: 'Rex', categoryId: 1 })
  assert.ok(id > 0n)
  assert.deepEqual(
    seen.map(({ hook }) => hook),
    ['onRequest', 'onResponse', 'onWait', 'onRequest', 'onResponse', 'onWait', 'onRequest', 'onResponse'],
  )
  for (const [index, { event }] of seen.entries()) {
    assert.equal(event.method, 'POST')
    assert.equal(event.url, `${url}/v1/pets`)
    assert.equal(event.attempt, 1 + Math.floor((index + 1) / 3), 'a wait belongs to the request that follows')
  }
  const responses = eventsOf<ResponseEvent>(seen, 'onResponse')
  assert.deepEqual(
    responses.map(({ status }) => status),
    [undefined, 500, 201],
  )
  assert.ok(responses[0]?.error instanceof NetworkError)
  assert.ok(responses[1]?.error instanceof ServiceError)
  assert.equal(responses[2]?.error, undefined)
  assert.equal(responses[2]?.headers?.get('location'), `${service.baseUrl}/pets/${id}`)
  for (const { durationMs } of responses) assert.ok(durationMs >= 0)
  const [first, second] = eventsOf<WaitEvent>(seen, 'onWait')
  assert.equal(first?.error, responses[0]?.error)
  assert.equal(second?.error, responses[1]?.error)
  assert.ok(second && second.waitMs >= 2_000 && second.waitMs < 2_500)
})

test('a request and its response have the same request id, which is in the log of the service', async t => {
  const { pets, seen } = await start(t, [])
  await pets.list()
  const [request] = eventsOf<RequestEvent>(seen, 'onRequest')
  const [response] = eventsOf<ResponseEvent>(seen, 'onResponse')
  assert.equal(response?.requestId, request?.requestId)
  assert.ok(service.logs.some(line => line.includes(request?.requestId ?? 'none')))
})

test('calls that wait because of a refusal or a ban report it once, with its end', async t => {
  for (const [code, Expected] of [
    ['rate_limit_exceeded', RateLimitError],
    ['api_key_banned', BannedError],
  ] as const) {
    const { pets, seen } = await start(t, [refusal(429, code, 30)])
    await Promise.all([pets.list(), pets.list(), pets.list()])
    const waits = eventsOf<WaitEvent>(seen, 'onWait')
    assert.equal(waits.length, 3)
    for (const { error, waitMs } of waits) {
      assert.ok(error instanceof Expected, String(error))
      assert.ok(waitMs > 20_000 && waitMs < 32_000, `${waitMs} ms`)
    }
    assert.equal(new Set(waits.map(({ until }) => Math.round(Number(until) / 1_000))).size, 1)
  }
})

test('calls that wait for the reset of the minute report it, although nothing was refused', async t => {
  const { pets, seen, proxy } = await start(t, [], { perMinute: 2 })
  await Promise.all([pets.list(), pets.list(), pets.list()])
  assert.ok(proxy.requests.every(({ status }) => status === 200))
  const [wait, ...others] = eventsOf<WaitEvent>(seen, 'onWait')
  assert.deepEqual(others, [])
  assert.ok(wait?.error instanceof RateLimitError)
  assert.match(wait.error.message, /^No calls remain until /)
})

test('a paced call reports its wait without an error', async t => {
  const { pets, seen } = await start(t, [], { perMinute: 4, isPaced: true })
  for (let calls = 0; calls < 4; calls += 1) await pets.list()
  const waits = eventsOf<WaitEvent>(seen, 'onWait')
  assert.ok(waits.length >= 1)
  for (const { error } of waits) assert.equal(error, undefined)
})

test('a request without a complete response has a response event, also if it is aborted', async t => {
  const { pets, seen } = await start(t, [delay(60_000)])
  const leaving = new AbortController()
  const call = errorOf(pets.list({ signal: leaving.signal }))
  const reason = new Error('The page was left.')
  setTimeout(() => leaving.abort(reason), 50)
  assert.equal(await call, reason)
  const [response, ...others] = eventsOf<ResponseEvent>(seen, 'onResponse')
  assert.deepEqual(others, [])
  assert.equal(response?.status, undefined)
  assert.equal(response?.error?.cause, reason)
})

test('a hook that throws, rejects or changes what it gets has no effect on the call, and its error is logged', async t => {
  const { key } = await service.createCaller()
  const proxy = await startFaultyProxy(t, service.url, { choose: inTurn(refusal(503, 'service_unavailable', 1)) })
  const logged = t.mock.method(console, 'error', () => {})
  const bug = new Error('a bug in a hook')
  const client = new PetstoreClient({
    apiKey: key,
    baseUrl: `${proxy.url}/v1`,
    onRequest: event => {
      event.url = 'https://elsewhere.example'
      throw bug
    },
    onResponse: async ({ headers }) => {
      headers?.delete('link')
      throw bug
    },
    onWait: () => {
      throw bug
    },
  })
  const { pets } = await client.pets.list()
  assert.ok(Array.isArray(pets))
  assert.equal(proxy.requests.length, 2)
  assert.equal(logged.mock.callCount(), 5, 'two requests, two responses, one wait')
  for (const { arguments: args } of logged.mock.calls) assert.equal(args[1], bug)
})

test('a hook may make calls of its own', async t => {
  const { key } = await service.createCaller()
  const proxy = await startFaultyProxy(t, service.url, { choose: inTurn(refusal(429, 'rate_limit_exceeded', 1)) })
  const own: unknown[] = []
  const client = new PetstoreClient({
    apiKey: key,
    baseUrl: `${proxy.url}/v1`,
    onWait: () => own.length < 2 && own.push(client.pets.create({ name: 'Rex', categoryId: 1 })),
  })
  await client.pets.list()
  await Promise.all(own)
  assert.deepEqual(
    proxy.requests.map(({ status }) => status),
    [429, 200, 201, 201],
  )
})

test('no hook sees the key', async t => {
  const { pets, seen, key } = await start(t, [CUT_AFTER, refusal(429, 'rate_limit_exceeded', 1)])
  await pets.create({ name: 'Rex', categoryId: 1 })
  assert.doesNotMatch(inspect(seen, { depth: 10, showHidden: true }), new RegExp(key))
})

test('a hook must be a function', () => {
  const options = { apiKey: 'petstore_live_x', baseUrl: 'https://petstore.example/v1' }
  for (const name of ['onRequest', 'onResponse', 'onWait']) {
    assert.throws(() => new PetstoreClient({ ...options, [name]: 'log' }), /^TypeError: on\w+ must be a function\.$/)
  }
})

type Hook = 'onRequest' | 'onResponse' | 'onWait'
type Seen = { hook: Hook; event: RequestEvent | ResponseEvent | WaitEvent }

/** A client on a fast clock whose requests meet these faults, and what its hooks see. */
async function start(t: TestContext, faults: readonly Fault[], { perMinute = 1_000_000, isPaced = false } = {}) {
  const own = perMinute < 1_000 ? await startTestService(t) : service
  const { key } = await own.createCaller({ limits: { perMinute } })
  const clock = fastClock(SPEED)
  if (own !== service) runWith(own, clock)
  const proxy = await startFaultyProxy(t, own.url, { choose: inTurn(...faults), now: () => clock.now() })
  const seen: Seen[] = []
  const watch = (hook: Hook) => (event: Seen['event']) => void seen.push({ hook, event })
  const hooks = { onRequest: watch('onRequest'), onResponse: watch('onResponse'), onWait: watch('onWait') }
  const { pets } = clientOn(clock, proxy.url, key, { isPaced, hooks })
  return { pets, seen, proxy, key, url: proxy.url }
}

function eventsOf<Event extends Seen['event']>(seen: readonly Seen[], name: Hook): Event[] {
  return seen.filter(({ hook }) => hook === name).map(({ event }) => event as Event)
}
