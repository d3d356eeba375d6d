import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import {
  type ClientOptions,
  NetworkError,
  PetstoreClient,
  RateLimitError,
  ServiceError,
  TimeoutError,
} from '../../client/src/index.ts'
import { clientOn, errorOf, fastClock } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { CUT_BEFORE, delay, type Fault, inTurn, refusal } from '../support/faults.ts'
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts'
import { startTestService } from '../support/service.ts'

// How long a call may take in total, and how it is aborted.

const SPEED = 20
/** The longest possible pauses, so that their number is known. */
const MAX_PAUSE = 0.999
/** Longer than any test waits. */
const SILENCE = delay(60_000)

const service = await startTestService({ after })

test('a call that fails again and again rejects with the last refusal when its time is over, and is not sent afterwards', async t => {
  const { client, proxy } = await start(
    t,
    () => refusal(500, 'internal_error'),
    () => MAX_PAUSE,
  )
  const error = await errorOf(client.pets.list({ timeoutMs: 15_000 }))
  assert.ok(error instanceof ServiceError)
  assert.equal(`${error.status} ${error.code}`, '500 internal_error')
  assert.ok(proxy.requests.length >= 1 && proxy.requests.length <= 6, 'after at most 0.25, 0.5, 1, 2 and 4 s')
  await assertNothingIsSent(proxy)
})

test('a service that cannot be reached is a NetworkError with its cause', async t => {
  const { client, proxy } = await start(
    t,
    () => CUT_BEFORE,
    () => MAX_PAUSE,
  )
  const error = await errorOf(client.pets.list({ timeoutMs: 120_000 }))
  assert.ok(error instanceof NetworkError)
  assert.equal(error.code, 'network_error')
  assert.equal(error.status, undefined)
  assert.ok(error.cause instanceof Error)
  await assertNothingIsSent(proxy)
})

test('a service that does not answer is a TimeoutError when the time of the call is over', async t => {
  const { client, proxy, clock } = await start(t, () => SILENCE)
  const startedAt = clock.now()
  const error = await errorOf(client.pets.create({ name: 'Rex', categoryId: 1 }, { timeoutMs: 40_000 }))
  assert.ok(error instanceof TimeoutError)
  assert.equal(error.code, 'timeout')
  assert.ok(clock.now() - startedAt >= 40_000)
  assert.equal(proxy.requests.length, 1)
  await assertNothingIsSent(proxy)
})

test('an answer that is far too large is not read completely', async t => {
  const chunk = Buffer.alloc(1_048_576, ' ')
  let sent = 0
  const url = await startServer(t, response => {
    const send = () => {
      while (!response.destroyed) {
        sent += chunk.length
        if (!response.write(chunk)) return
      }
    }
    response.on('drain', send)
    send()
  })
  const error = await errorOf(clientAt(url, { timeoutMs: 60_000 }).pets.list())
  assert.ok(error instanceof NetworkError)
  assert.match(error.message, /the response is larger than 1048576 bytes/)
  assert.ok(sent < 300 * chunk.length, `${sent} bytes`)
})

test('a small response that decompresses to a huge one is not read completely either', async t => {
  const packed = gzipSync(Buffer.alloc(64 * 1_048_576, ' '))
  const url = await startServer(t, response => response.setHeader('content-encoding', 'gzip').end(packed))
  const error = await errorOf(clientAt(url, { timeoutMs: 60_000 }).pets.list())
  assert.ok(error instanceof NetworkError)
  assert.match(error.message, /the response is larger than 1048576 bytes/)
})

for (const [what, body] of [
  ['nesting', '['.repeat(500_000) + ']'.repeat(500_000)],
  ['numbers', `[${'1,'.repeat(500_000)}1]`],
  ['animals', `[${'{"id":1,"name":"Rex","categoryId":1,"status":"sold"},'.repeat(19_000)}{}]`],
] as const) {
  test(`the largest response that is read, full of ${what}, is parsed quickly`, async t => {
    assert.ok(body.length < 1_048_576)
    for (const status of [200, 400]) {
      const url = await startServer(t, response => response.writeHead(status).end(body))
      const before = process.cpuUsage()
      assert.ok((await errorOf(clientAt(url, { timeoutMs: 60_000 }).pets.list())) instanceof ServiceError)
      const { user, system } = process.cpuUsage(before)
      assert.ok(user + system < 3_000_000, `${user + system} µs`)
    }
  })
}

test('a response that never ends is cut off when the time of the call is over, even if fetch ignores its signal', async t => {
  const deaf: typeof fetch = (url, { signal, ...init } = {}) => fetch(url, init)
  for (const own of [undefined, deaf]) {
    const closed = Promise.withResolvers<void>()
    const url = await startServer(t, response => {
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => {
        clearInterval(timer)
        closed.resolve()
      })
    })
    const startedAt = performance.now()
    const error = await errorOf(clientAt(url, { timeoutMs: 500, fetch: own }).pets.list())
    assert.ok(error instanceof TimeoutError)
    assert.ok(performance.now() - startedAt >= 500)
    await closed.promise
  }
})

test('a call that waits for others until its time is over is not sent', async t => {
  const { client, proxy } = await start(t, () => SILENCE)
  const ahead = errorOf(client.pets.list({ timeoutMs: 40_000 }))
  const behind = await errorOf(client.pets.list({ timeoutMs: 1_000 }))
  assert.ok(behind instanceof TimeoutError)
  await ahead
  assert.equal(proxy.requests.length, 1)
})

test('a refusal that lasts longer than the call may take rejects immediately', async t => {
  const { client, proxy, clock } = await start(t, inTurn(refusal(429, 'rate_limit_exceeded', 600)))
  const startedAt = clock.now()
  const errors = await Promise.all([1, 2, 3].map(() => errorOf(client.pets.list({ timeoutMs: 500_000 }))))
  assert.ok(clock.now() - startedAt < 500_000)
  for (const error of errors) {
    assert.ok(error instanceof RateLimitError)
    assert.ok(Number(error.retryAt) >= startedAt + 600_000)
  }
  assert.equal(proxy.requests.length, 1, 'those that waited were not sent')
})

test('calls that are aborted in flight reject with the reason, and make room for others', async t => {
  const { client, proxy } = await start(t, inTurn(undefined, SILENCE, SILENCE, SILENCE, SILENCE), Math.random, 8)
  await client.pets.list()
  const { error, abort, reason } = breakable(signal =>
    Promise.any([1, 2, 3, 4].map(() => client.pets.list({ signal }))),
  )
  await untilRequests(proxy, 5)
  abort()
  assert.deepEqual(((await error) as AggregateError).errors, [reason, reason, reason, reason])
  // In addition to the first call, four of eight may have been counted: three remain.
  await Promise.all([1, 2, 3].map(() => client.pets.list({ timeoutMs: 40_000 })))
})

test('a call that is aborted while it waits for the end of a refusal is never sent', async t => {
  const { client, proxy } = await start(t, inTurn(refusal(429, 'rate_limit_exceeded', 30)))
  const refused = client.pets.list().then(() => undefined)
  await untilAnswered(proxy, 1)
  const { error, abort, reason } = breakable(signal => client.pets.create({ name: 'Rex', categoryId: 1 }, { signal }))
  abort()
  assert.equal(await error, reason)
  assert.equal(proxy.requests.length, 1, 'at once: the others still wait')
  await refused
  await assertNothingIsSent(proxy)
  assert.deepEqual(
    proxy.requests.map(({ method }) => method),
    ['GET', 'GET'],
  )
})

test('a call that is aborted between two attempts is not sent again', async t => {
  const { client, proxy, clock } = await start(t, inTurn(refusal(503, 'service_unavailable', 30)))
  const { error, abort, reason } = breakable(signal => client.pets.list({ signal }))
  await untilAnswered(proxy, 1)
  abort()
  assert.equal(await error, reason)
  // Less than it would wait for the second attempt; no time is promised.
  assert.ok(clock.now() < (proxy.requests[0]?.answeredAt ?? 0) + 30_000, 'at once')
  await client.pets.list()
  assert.equal(proxy.requests.length, 2)
})

test('a call that was aborted before it began is never sent', async t => {
  const { client, proxy } = await start(t)
  const reason = new Error('The page was left.')
  assert.equal(await errorOf(client.pets.list({ signal: AbortSignal.abort(reason) })), reason)
  assert.equal(proxy.requests.length, 0)
})

test('an iteration over all pages is aborted by its signal too', async t => {
  const { client, proxy } = await start(t)
  for (let pets = 0; pets < 3; pets += 1) await client.pets.create({ name: 'Rex', categoryId: 1 })
  const leaving = new AbortController()
  const reason = new Error('The page was left.')
  const seen: bigint[] = []
  const walk = async () => {
    for await (const { id } of client.pets.list({ limit: 1, signal: leaving.signal })) {
      seen.push(id)
      if (seen.length === 2) leaving.abort(reason)
    }
  }
  assert.equal(await errorOf(walk()), reason)
  assert.equal(seen.length, 2)
  await assertNothingIsSent(proxy)
})

test('a signal can be used for many calls and has no listeners afterwards', async t => {
  const { client } = await start(t)
  const signal = new AbortController().signal
  let listeners = 0
  const { addEventListener, removeEventListener } = signal
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners += 1
    addEventListener.apply(signal, args)
  }
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners -= 1
    removeEventListener.apply(signal, args)
  }
  for (let calls = 0; calls < 5; calls += 1) await client.pets.list({ signal })
  assert.equal(listeners, 0)
})

async function start(
  t: TestContext,
  choose: () => Fault | undefined = () => undefined,
  random = Math.random,
  perMinute = 1_000_000,
) {
  const { key } = await service.createCaller({ limits: { perMinute } })
  const clock = fastClock(SPEED)
  const proxy = await startFaultyProxy(t, service.url, { choose, now: () => clock.now() })
  return { client: clientOn(clock, proxy.url, key, { random }), proxy, clock }
}

/** A server whose responses start with 200, unless given otherwise. */
async function startServer(t: TestContext, answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

function clientAt(baseUrl: string, options: Partial<ClientOptions>): PetstoreClient {
  return new PetstoreClient({ apiKey: 'petstore_test_x', baseUrl, ...options })
}

function breakable(start: (signal: AbortSignal) => PromiseLike<unknown>) {
  const breaking = new AbortController()
  const reason = new Error('The page was left.')
  // The error is caught from the start: it may come before it is awaited.
  const error = errorOf(start(breaking.signal))
  return { error, reason, abort: () => breaking.abort(reason) }
}

async function untilRequests({ requests }: FaultyProxy, count: number): Promise<void> {
  await eventually(() => assert.equal(requests.length, count), 2)
}

/** The extra moments are those that the response needs to pass through this process, which may be paused at any time. */
async function untilAnswered({ requests }: FaultyProxy, count: number): Promise<void> {
  await eventually(() => assert.equal(requests.filter(({ status }) => status !== undefined).length, count), 2)
  for (let turn = 0; turn < 20; turn += 1) await sleep(1)
}

/** Longer than any pause that may still be pending. */
async function assertNothingIsSent({ requests }: FaultyProxy): Promise<void> {
  const before = requests.length
  await sleep(150)
  assert.equal(requests.length, before)
}
