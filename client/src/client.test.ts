import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClientOptions, PetstoreClient } from './client.ts'
import { PetstoreError, RateLimitError } from './errors.ts'

const LINK = '<https://petstore.example/v1/pets>; rel="first"'

let keys = 0

/** A client with its own key, and so with its own gate. */
function clientOf(options: Partial<ClientOptions> = {}): PetstoreClient {
  return new PetstoreClient({ baseUrl: 'https://petstore.example/v1', apiKey: `key-${keys++}`, ...options })
}

/** Answers with an empty page and the remaining calls of a minute with ten. */
function pageOf(remaining: number): Response {
  return new Response('[]', {
    headers: { link: LINK, 'ratelimit-policy': '"minute";q=10', ratelimit: `"minute";r=${remaining};t=60` },
  })
}

test('requests use the given address and fetch, without cookies or redirects', async () => {
  for (const baseUrl of ['https://shop.example/v1', 'https://shop.example/v1/', new URL('https://shop.example/v1//')]) {
    const sent: [unknown, RequestInit | undefined][] = []
    const client = clientOf({
      baseUrl,
      fetch: async (url, init) => {
        sent.push([url, init])
        return pageOf(9)
      },
    })
    await client.pets.list({ limit: 5 })
    const [[url, init] = []] = sent
    assert.equal(url, 'https://shop.example/v1/pets?limit=5')
    assert.deepEqual([init?.credentials, init?.cache, init?.redirect], ['omit', undefined, 'manual'])
  }
})

test('an address that paths cannot be appended to is refused', () => {
  for (const end of ['?', '#', '?a', '#a', '?#']) {
    assert.throws(() => clientOf({ baseUrl: `https://petstore.example/v1${end}` }), TypeError, end)
  }
  assert.throws(() => clientOf({ baseUrl: 'https://petstore.example/v1/pets/' }), TypeError)
  for (const user of ['me@', 'me:secret@', ':secret@']) {
    assert.throws(() => clientOf({ baseUrl: `https://${user}petstore.example/v1` }), TypeError, user)
  }
})

test('a timeout must be a number above 0', () => {
  for (const ms of [0, -1, Number.NaN, '5000']) {
    assert.throws(() => clientOf({ timeoutMs: ms as number }), RangeError, `${ms}`)
    assert.throws(() => clientOf({ attemptTimeoutMs: ms as number }), RangeError, `${ms}`)
    assert.throws(() => clientOf({ maxWaitMs: ms as number }), RangeError, `${ms}`)
  }
  assert.ok(clientOf({ timeoutMs: Number.POSITIVE_INFINITY }))
})

test('attempts and calls take no longer than their timeouts', async () => {
  let sent = 0
  const hanging = () => {
    sent += 1
    return new Promise<Response>(() => {})
  }
  const client = clientOf({ fetch: hanging, attemptTimeoutMs: 20, timeoutMs: 1_000 })
  const startedAt = performance.now()
  await assert.rejects(async () => await client.pets.list(), PetstoreError)
  assert.ok(sent > 1, `${sent} attempts`)
  assert.ok(performance.now() - startedAt < 10_000)
})

test('the default timeout of a call is 90 seconds', async () => {
  const refusedFor = (seconds: number) => async () =>
    new Response('{"code":"rate_limit_exceeded","message":"Wait.","status":429}', {
      status: 429,
      headers: { 'retry-after': `${seconds}` },
    })
  const stop = new AbortController()
  const waiting = clientOf({ fetch: refusedFor(80) }).pets.list({ signal: stop.signal })
  const isOver = waiting.then(null, error => error)
  await assert.rejects(async () => await clientOf({ fetch: refusedFor(91) }).pets.list(), RateLimitError)
  stop.abort('stopped')
  assert.equal(await isOver, 'stopped', 'it waited')
})

test('only a paced client waits when few calls remain', async () => {
  for (const isPaced of [true, false]) {
    const client = clientOf({ fetch: async () => pageOf(2), isPaced })
    await client.pets.list()
    const stop = new AbortController()
    const second = client.pets.list({ signal: stop.signal }).then(
      () => 'sent',
      reason => reason,
    )
    setTimeout(() => stop.abort('waited'), 100)
    assert.equal(await second, isPaced ? 'waited' : 'sent')
  }
})
