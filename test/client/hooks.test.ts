import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import { PetstoreClient, type RequestEvent, type ResponseEvent, type WaitEvent } from '../../client/src/index.ts'
import { errorOf } from '../support/client.ts'
import { CUT_AFTER, delay, type Fault, inTurn, refusal } from '../support/faults.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { startTestService } from '../support/service.ts'

// Hooks on a real connection. When they are called, and with which arguments, is tested in client/src/hooks.test.ts.

const service = await startTestService({ after })

test('a request and its response have the same request id, which is in the log of the service', async t => {
  const { pets, seen } = await start(t, [])
  await pets.list()
  const [request] = eventsOf<RequestEvent>(seen, 'onRequest')
  const [response] = eventsOf<ResponseEvent>(seen, 'onResponse')
  assert.equal(response?.requestId, request?.requestId)
  assert.ok(service.logs.some(line => line.includes(request?.requestId ?? 'none')))
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

test('a hook that throws, rejects or changes its argument has no effect on the call, and its error is logged', async t => {
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

test('a hook may make its own calls', async t => {
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

/** A client whose requests meet these faults, and the events of its hooks. */
async function start(t: TestContext, faults: readonly Fault[]) {
  const { key } = await service.createCaller()
  const proxy = await startFaultyProxy(t, service.url, { choose: inTurn(...faults) })
  const seen: Seen[] = []
  const watch = (hook: Hook) => (event: Seen['event']) => void seen.push({ hook, event })
  const hooks = { onRequest: watch('onRequest'), onResponse: watch('onResponse'), onWait: watch('onWait') }
  const { pets } = new PetstoreClient({ apiKey: key, baseUrl: `${proxy.url}/v1`, ...hooks })
  return { pets, seen, key }
}

function eventsOf<Event extends Seen['event']>(seen: readonly Seen[], name: Hook): Event[] {
  return seen.filter(({ hook }) => hook === name).map(({ event }) => event as Event)
}
