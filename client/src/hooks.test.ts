import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../test/fake-clock.ts'
import { BannedError, NetworkError, RateLimitError, ServiceError } from './errors.ts'
import { Gate } from './gate.ts'
import type { RequestEvent, ResponseEvent, WaitEvent } from './hooks.ts'
import { Pets } from './pets.ts'
import { DEFAULT_MAX_WAIT_MS } from './retry.ts'
import { Transport } from './transport.ts'

const BASE_URL = 'https://petstore.example/v1'
const LINK = `<${BASE_URL}/pets>; rel="first"`
const REX = '{"id":1,"name":"Rex","categoryId":1,"status":"sold"}'

test('hooks see every attempt, why it failed, and how long the next one waits', async () => {
  const { pets, clock, seen } = start(
    new TypeError('fetch failed'),
    refusal(500, 'internal_error', 2),
    new Response(REX),
  )
  const call = pets.create({ name: 'Rex', categoryId: 1 })
  await clock.run()
  await call
  assert.deepEqual(
    seen.map(({ hook, event }) => `${event.attempt} ${hook}`),
    ['1 request', '1 response', '2 wait', '2 request', '2 response', '3 wait', '3 request', '3 response'],
  )
  for (const { event } of seen) assert.equal(`${event.method} ${event.url}`, `POST ${BASE_URL}/pets`)
  const requests = eventsOf<RequestEvent>(seen, 'request')
  const responses = eventsOf<ResponseEvent>(seen, 'response')
  const waits = eventsOf<WaitEvent>(seen, 'wait')
  assert.equal(new Set(requests.map(({ requestId }) => requestId)).size, 3)
  for (const [index, { requestId }] of requests.entries()) assert.equal(responses[index]?.requestId, requestId)
  const [lost, failed, created] = responses
  assert.ok(lost?.error instanceof NetworkError)
  assert.ok(failed?.error instanceof ServiceError)
  assert.deepEqual(
    responses.map(({ status }) => status),
    [undefined, 500, 200],
  )
  assert.equal(failed.headers?.get('retry-after'), '2')
  assert.deepEqual([lost.headers, created?.error], [undefined, undefined])
  assert.deepEqual(
    waits.map(({ waitMs, until, error }) => [waitMs, Number(until), error]),
    [
      [125, 125, lost.error],
      [2_100, 2_225, failed.error],
    ],
  )
})

test('a request without a response in time has a response event with its duration', async () => {
  const { pets, clock, seen } = start()
  const call = assert.rejects(async () => await pets.list({ timeoutMs: 1_500 }))
  await clock.run()
  await call
  const [response] = eventsOf<ResponseEvent>(seen, 'response')
  assert.deepEqual([response?.status, response?.durationMs, response?.error?.code], [undefined, 1_500, 'timeout'])
})

test('all calls that wait because of a refusal or a ban report it once, with its end', async () => {
  for (const [code, Expected] of [
    ['rate_limit_exceeded', RateLimitError],
    ['api_key_banned', BannedError],
    ['service_unavailable', ServiceError],
  ] as const) {
    const refused = refusal(code === 'service_unavailable' ? 503 : 429, code, 30)
    const { pets, clock, seen } = start(refused, page(), page(), page())
    const calls = Promise.all([pets.list(), pets.list(), pets.list()])
    await clock.run()
    await calls
    const waits = eventsOf<WaitEvent>(seen, 'wait')
    assert.deepEqual(
      waits.map(({ waitMs, until }) => [waitMs, Number(until)]),
      Array(3).fill([30_500, 30_500]),
    )
    for (const { error } of waits) assert.ok(error instanceof Expected)
  }
})

test('calls that are refused together report one wait each, although each adds a random time', async () => {
  const random = [0.1, 0.9, 0.3, 0.5].values()
  const refused = Array.from({ length: 4 }, () => Promise.withResolvers<Response>())
  const options = { random: () => random.next().value ?? 0 }
  const { pets, clock, seen } = startWith(options, page(100), ...refused.map(({ promise }) => promise))
  const first = pets.list()
  await clock.run(1)
  await first
  const leaving = new AbortController()
  const calls = Promise.allSettled(refused.map(() => pets.list({ signal: leaving.signal })))
  for (const [index, { resolve }] of refused.entries()) {
    await clock.run(10 + index)
    resolve(refusal(429, 'rate_limit_exceeded', 30))
  }
  await clock.run(20)
  leaving.abort()
  await calls
  assert.equal(eventsOf<WaitEvent>(seen, 'wait').length, 4)
})

test('a wait that becomes longer is reported again', async () => {
  const late = Promise.withResolvers<Response>()
  const { pets, clock, seen } = start(page(100), late.promise, refusal(429, 'rate_limit_exceeded', 10))
  const first = pets.list()
  await clock.run(1)
  await first
  const leaving = new AbortController()
  const calls = Promise.allSettled([1, 2].map(() => pets.list({ signal: leaving.signal })))
  await clock.run(5_000)
  late.resolve(refusal(429, 'rate_limit_exceeded', 60))
  await clock.run(5_001)
  leaving.abort()
  await calls
  assert.deepEqual(
    eventsOf<WaitEvent>(seen, 'wait').map(({ waitMs }) => Math.round(waitMs / 1_000)),
    [11, 61, 61],
  )
})

test('calls that wait for the reset of the minute report it, although nothing was refused', async () => {
  const { pets, clock, seen } = start(page(0), page(9))
  const calls = Promise.all([pets.list(), pets.list()])
  await clock.run()
  await calls
  const [wait, ...others] = eventsOf<WaitEvent>(seen, 'wait')
  assert.deepEqual(others, [])
  assert.equal(wait?.waitMs, 60_000)
  assert.ok(wait.error instanceof RateLimitError)
  assert.match(wait.error.message, /^No calls remain until /)
})

test('a paced call reports its wait without an error', async () => {
  const { pets, clock, seen } = startWith({ isPaced: true }, page(3), page(2))
  const calls = Promise.all([pets.list(), pets.list()])
  await clock.run()
  await calls
  const [wait, ...others] = eventsOf<WaitEvent>(seen, 'wait')
  assert.deepEqual(others, [])
  assert.deepEqual([wait?.waitMs, wait?.error], [20_000, undefined])
})

type Seen = { hook: string; event: RequestEvent | ResponseEvent | WaitEvent }

type Reply = Response | Promise<Response> | Error

/** The operations of a client that gets these replies, then none, and what its hooks see. */
function start(...replies: Reply[]) {
  return startWith({}, ...replies)
}

function startWith({ isPaced = false, random = () => 0.5 }, ...replies: Reply[]) {
  const clock = new FakeClock()
  const seen: Seen[] = []
  const watch = (hook: string) => (event: Seen['event']) => void seen.push({ hook, event })
  const transport = new Transport({
    baseUrl: BASE_URL,
    apiKey: 'key',
    fetch: async () => {
      const next = (await replies.shift()) ?? (await new Promise<Response>(() => {}))
      if (next instanceof Error) throw next
      return next
    },
    timeoutMs: 90_000,
    attemptTimeoutMs: 30_000,
    maxRetries: Number.POSITIVE_INFINITY,
    maxWaitMs: DEFAULT_MAX_WAIT_MS,
    isPaced,
    hooks: { onRequest: watch('request'), onResponse: watch('response'), onWait: watch('wait') },
    gate: new Gate(clock, random),
    clock,
    random,
  })
  return { pets: new Pets(transport), clock, seen }
}

/** An empty page, and the calls that remain of ten in the minute. */
function page(remaining = 9): Response {
  const limits = { 'ratelimit-policy': '"minute";q=10', ratelimit: `"minute";r=${remaining};t=60` }
  return new Response('[]', { headers: { link: LINK, ...limits } })
}

function refusal(status: number, code: string, seconds: number): Response {
  const body = JSON.stringify({ code, message: 'Not now.', status })
  return new Response(body, { status, headers: { 'retry-after': String(seconds) } })
}

function eventsOf<Event extends Seen['event']>(seen: readonly Seen[], name: string): Event[] {
  return seen.filter(({ hook }) => hook === name).map(({ event }) => event as Event)
}
