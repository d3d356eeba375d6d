import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../test/fake-clock.ts'
import { type Clock, SYSTEM_CLOCK } from './clock.ts'
import { NetworkError, RateLimitError, ServiceError, TimeoutError } from './errors.ts'
import { Gate } from './gate.ts'
import { gateOf } from './gate-registry.ts'
import { Pets } from './pets.ts'
import { DEFAULT_MAX_WAIT_MS } from './retry.ts'
import { Transport, type TransportOptions } from './transport.ts'

/** The operations, with this fetch. */
function petsOn(clock: Clock, fetch: typeof globalThis.fetch, more: Partial<TransportOptions> = {}): Pets {
  const random = () => 0.5
  const gate = new Gate(clock, random)
  const options = { baseUrl: 'https://petstore.example/v1', apiKey: 'key', timeoutMs: 5_000, attemptTimeoutMs: 2_000 }
  const defaults = {
    maxRetries: Number.POSITIVE_INFINITY,
    maxWaitMs: DEFAULT_MAX_WAIT_MS,
    isPaced: false,
    hooks: {},
  }
  return new Pets(new Transport({ ...options, ...defaults, fetch, gate, clock, random, ...more }))
}

const LINK = '<https://petstore.example/v1/pets>; rel="first"'

test('a call ends in time even if its fetch ignores the signal', async () => {
  const clock = new FakeClock()
  let sent = 0
  const pets = petsOn(clock, () => {
    sent += 1
    return new Promise(() => {})
  })
  const call = pets.list().then(null, error => [error, clock.now()])
  await clock.run()
  const [error, at] = (await call) as unknown as [unknown, number]
  assert.ok(error instanceof TimeoutError)
  assert.equal(at, 5_000)
  assert.equal(sent, 3)
  assert.equal(clock.left, 0)
})

test('the error for a call without an answer has the reason and the request id', async () => {
  const clock = new FakeClock()
  const sent: (string | null)[] = []
  const pets = petsOn(clock, (_, init) => {
    sent.push(new Headers(init?.headers).get('x-request-id'))
    return Promise.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }))
  })
  const call = pets.list().then(null, error => error)
  await clock.run()
  const error = await call
  assert.ok(error instanceof NetworkError)
  const message = 'https://petstore.example/v1 could not be reached: connect ECONNREFUSED. Check baseUrl.'
  assert.equal(error.message, message)
  assert.ok(sent.length > 2 && new Set(sent).size === sent.length, 'each attempt has its own id')
  assert.match(String(error.requestId), /^[0-9a-f]{32}$/)
  assert.equal(error.requestId, sent.at(-1))
})

test('the reason for a failure is found wherever the platform puts it', async () => {
  const cyclic = new Error('again')
  cyclic.cause = cyclic
  const refused = (address: string) =>
    Object.assign(new Error(`connect ECONNREFUSED ${address}`), { code: 'ECONNREFUSED' })
  const both = new AggregateError([refused('::1'), refused('127.0.0.1')])
  for (const [cause, reason] of [
    [both, 'connect ECONNREFUSED ::1, connect ECONNREFUSED 127.0.0.1'],
    [Object.assign(new Error(''), { code: 'ECONNRESET' }), 'ECONNRESET'],
    [new Error('', { cause: new Error('') }), 'fetch failed'],
    [cyclic, 'again'],
    ['a word', 'a word'],
  ] as const) {
    const clock = new FakeClock()
    const pets = petsOn(clock, () => Promise.reject(new TypeError('fetch failed', { cause })))
    const call = pets.list().then(null, error => error)
    await clock.run()
    const error: unknown = await call
    assert.ok(error instanceof NetworkError)
    assert.ok(error.message.endsWith(`: ${reason}. Check baseUrl.`), error.message)
  }
})

test('if an answer has no request id, the error has the one that was sent', async () => {
  let sent: string | null = null
  const pets = petsOn(new FakeClock(), async (_, init) => {
    sent = new Headers(init?.headers).get('x-request-id')
    return new Response('<html>', { status: 403 })
  })
  const error: unknown = await pets.list().then(null, error => error)
  assert.ok(error instanceof ServiceError)
  assert.equal(error.requestId, sent)
})

test('the id of a request shows nothing that controls a terminal, and is never empty', async () => {
  for (const [id, shown] of [
    ['a\x9bb', /^ab$/],
    ['', /^[0-9a-f]{32}$/],
  ] as const) {
    const pets = petsOn(new FakeClock(), async () => new Response('', { status: 403, headers: { 'x-request-id': id } }))
    const error: unknown = await pets.list().then(null, error => error)
    assert.ok(error instanceof ServiceError)
    assert.match(String(error.requestId), shown)
  }
})

test('a body that does not end is aborted too, and its later failure has no effect', async () => {
  const clock = new FakeClock()
  const body = () => clock.reach(10_000).then(() => Promise.reject(new Error('too late')))
  const pets = petsOn(clock, async () => ({ status: 200, headers: new Headers(), text: body }) as unknown as Response)
  const call = assert.rejects(async () => await pets.list(), TimeoutError)
  await clock.run()
  await call
})

test('a call that runs out of time rejects with the error of its last attempt', async () => {
  const clock = new FakeClock()
  const pets = petsOn(clock, () => Promise.reject(undefined))
  const call = assert.rejects(async () => await pets.list(), NetworkError)
  await clock.run()
  await call
})

test('a call that fails again and again rejects with the last refusal as soon as there is no time for another attempt', async () => {
  const clock = new FakeClock()
  const sentAt: number[] = []
  const pets = petsOn(clock, async () => {
    sentAt.push(clock.now())
    return new Response('{"code":"internal_error","message":"","status":500}', { status: 500 })
  })
  const call = pets.list({ timeoutMs: 3_000 }).then(null, error => [error, clock.now()])
  await clock.run()
  const [error, at] = (await call) as unknown as [unknown, number]
  assert.ok(error instanceof ServiceError)
  assert.deepEqual(sentAt, [0, 125, 375, 875, 1_875])
  assert.equal(at, 1_875, 'the next pause of 2 s would end too late')
})

test('an aborted call rejects with the reason, even if there is no time for another attempt', async () => {
  const clock = new FakeClock()
  const pets = petsOn(clock, (_, init) => {
    return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
  })
  const stop = new AbortController()
  const reason = new Error('stopped')
  clock.after(990, () => stop.abort(reason))
  const call = pets.list({ timeoutMs: 1_000, signal: stop.signal }).then(null, error => [error, clock.now()])
  await clock.run()
  assert.deepEqual(await call, [reason, 990])
})

test('the client does not follow redirects with the key, and reports them at once', async () => {
  const clock = new FakeClock()
  let redirect: string | undefined
  const pets = petsOn(clock, async (_, init) => {
    redirect = init?.redirect
    return new Response(null, { status: 307, headers: { location: 'https://elsewhere.example' } })
  })
  await assert.rejects(async () => await pets.list(), ServiceError)
  assert.equal(redirect, 'manual')
  assert.equal(clock.now(), 0)
})

test('a page without a valid Link is not taken for the last page', async () => {
  for (const link of [
    undefined,
    '<https://petstore.example/v1/pets?limit=20>; rel="next"',
    '</v1/pets?cursor=a>; rel="next"',
  ]) {
    const headers = link === undefined ? {} : { link }
    const pets = petsOn(new FakeClock(), async () => new Response('[]', { headers }))
    await assert.rejects(async () => await pets.list(), ServiceError)
  }
})

test('a Link that never ends takes no time', async () => {
  const pets = petsOn(new FakeClock(), async () => new Response('[]', { headers: { link: '<'.repeat(250_000) } }))
  const used = process.cpuUsage()
  assert.equal((await pets.list()).nextCursor, undefined)
  assert.ok(process.cpuUsage(used).user < 5_000_000)
})

test('an iteration ends at a page that names itself as the next one', async () => {
  let pages = 0
  const pets = petsOn(new FakeClock(), async () => {
    pages += 1
    const next = pages < 5 ? '<https://petstore.example/v1/pets?cursor=c>; rel="next", ' : ''
    return new Response('[]', { headers: { link: next + LINK } })
  })
  await assert.rejects(Array.fromAsync(pets.list()), ServiceError)
  assert.equal(pages, 2)
})

test('an iteration loads each page by its cursor when it is needed', async () => {
  const asked: string[] = []
  const pets = petsOn(new FakeClock(), async url => {
    asked.push(String(url))
    const id = asked.length
    const next = id < 3 ? `<https://elsewhere.example/v1/pets?cursor=c${id}>; rel="next", ` : ''
    const text = `[{"id":${id},"name":"1 \\"2","categoryId":9223372036854775807,"status":"sold","more":{"a":1.5e3}}]`
    return new Response(text, { headers: { link: next + LINK } })
  })
  const walked = []
  for await (const pet of pets.list({ status: 'sold', limit: 1 })) walked.push(pet)
  const pet = { name: '1 "2', categoryId: 9_223_372_036_854_775_807n, status: 'sold' }
  assert.deepEqual(
    walked,
    [1n, 2n, 3n].map(id => ({ id, ...pet })),
  )
  const base = 'https://petstore.example/v1/pets?limit=1&status=sold'
  assert.deepEqual(asked, [base, `${base}&cursor=c1`, `${base}&cursor=c2`])
})

test('an aborted iteration ends at the next animal, even on the last page', async () => {
  const rows = [1, 2, 3].map(id => `{"id":${id},"name":"Rex","categoryId":1,"status":"sold"}`)
  const pets = petsOn(new FakeClock(), async () => new Response(`[${rows}]`, { headers: { link: LINK } }))
  const stop = new AbortController()
  const reason = new Error('stopped')
  const met: bigint[] = []
  const walk = async () => {
    for await (const { id } of pets.list({ signal: stop.signal })) {
      met.push(id)
      if (id === 2n) stop.abort(reason)
    }
  }
  await assert.rejects(walk, reason)
  assert.deepEqual(met, [1n, 2n])
})

test('each page of an iteration may take the full timeout', async () => {
  const clock = new FakeClock()
  let pages = 0
  const pets = petsOn(clock, async () => {
    await clock.reach(clock.now() + 1_900)
    pages += 1
    const next = pages < 5 ? `<https://petstore.example/v1/pets?cursor=c${pages}>; rel="next", ` : ''
    return new Response('[]', { headers: { link: next + LINK } })
  })
  const walk = Array.fromAsync(pets.list({ timeoutMs: 1_950 }))
  await clock.run()
  assert.deepEqual(await walk, [])
  assert.equal(pages, 5)
})

test('a later page that takes longer than the timeout ends the iteration', async () => {
  const clock = new FakeClock()
  let pages = 0
  const pets = petsOn(clock, async () => {
    pages += 1
    await clock.reach(clock.now() + (pages === 1 ? 10 : 1_900))
    return new Response('[]', { headers: { link: `<https://petstore.example/v1/pets?cursor=c>; rel="next", ${LINK}` } })
  })
  const walk = assert.rejects(() => Array.fromAsync(pets.list({ timeoutMs: 1_000 })), TimeoutError)
  await clock.run()
  await walk
})

test('an animal with numbers beyond 64 bits does not come from a Petstore', async () => {
  for (const id of ['9223372036854775808', '1.5', '1e3', '"x"', 'null']) {
    const text = `{"id":${id},"name":"Rex","categoryId":1,"status":"sold"}`
    const pets = petsOn(new FakeClock(), async () => new Response(text))
    await assert.rejects(pets.create({ name: 'Rex', categoryId: 1 }), ServiceError)
  }
})

test('values that cannot be sent are rejected', async () => {
  const pets = petsOn(new FakeClock(), () => assert.fail('sent'))
  const rex = { name: 'Rex', categoryId: 1 }
  for (const categoryId of [2 ** 53, 1.5, Number.NaN, 2n ** 63n, -(2n ** 63n) - 1n]) {
    await assert.rejects(pets.create({ ...rex, categoryId }), RangeError)
  }
  const text = '7' as unknown as number
  await assert.rejects(pets.create({ ...rex, categoryId: text }), /it is the string 7/)
  for (const idempotencyKey of ['ä', 'a\nb', ' a', '☃'])
    await assert.rejects(pets.create(rex, { idempotencyKey }), RangeError)
})

test('a creation whose idempotency key is undefined or null has a key of its own', async () => {
  const keys: (string | null)[] = []
  const pets = petsOn(new FakeClock(), async (_, init) => {
    keys.push(new Headers(init?.headers).get('idempotency-key'))
    return new Response('{"id":1,"name":"Rex","categoryId":1,"status":"sold"}')
  })
  for (const missing of [undefined, null]) {
    await pets.create({ name: 'Rex', categoryId: 1 }, { idempotencyKey: missing as undefined })
  }
  assert.ok(keys.every(key => /^[0-9a-f]{32}$/.test(String(key))) && new Set(keys).size === 2, `${keys}`)
})

test('retryAt is by the calendar, even if the calendar is changed', async t => {
  const response = () =>
    new Response('{"code":"rate_limit_exceeded","message":"","status":429}', {
      status: 429,
      headers: { 'retry-after': '60' },
    })
  const pets = petsOn(SYSTEM_CLOCK, async () => response())
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2030, 0, 1) })
  for (const year of [2030, 2029]) {
    t.mock.timers.setTime(Date.UTC(year, 0, 1))
    const error: unknown = await pets.list().then(null, error => error)
    assert.ok(error instanceof RateLimitError)
    const inMs = Number(error.retryAt) - Date.UTC(year, 0, 1)
    assert.ok(inMs > 59_000 && inMs < 61_100, `${inMs} ms`)
  }
})

test('all clients with the same address and key share a gate', () => {
  const gate = gateOf('https://petstore.example/v1', 'a')
  assert.equal(gateOf('https://petstore.example/v1', 'a'), gate)
  assert.notEqual(gateOf('https://petstore.example/v1', 'b'), gate)
  assert.notEqual(gateOf('https://staging.petstore.example/v1', 'a'), gate)
})

test('the gates of the 10,000 keys used last are kept', () => {
  const gate = (number: number) => gateOf('https://petstore.example/v1', `many-${number}`)
  const [oldest, second, last] = Array.from({ length: 10_000 }, (_, number) => gate(number)).filter(
    (_, number) => number < 2 || number === 9_999,
  )
  assert.equal(gate(0), oldest)
  gate(10_000)
  assert.equal(gate(0), oldest)
  assert.equal(gate(9_999), last)
  assert.notEqual(gate(1), second)
})
