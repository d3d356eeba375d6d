import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { type Pets, PetstoreClient, PetstoreError, RateLimitError } from '../../client/src/index.ts'
import type { Pet } from '../../src/domain/pet.ts'
import { clientOn, errorOf, fastClock } from '../support/client.ts'
import { CUT_AFTER, CUT_BEFORE, CUT_IN_BODY, delay, type Fault, inTurn, page, refusal } from '../support/faults.ts'
import { assertNoneEarly, startFaultyProxy } from '../support/faulty-proxy.ts'
import { startTestService } from '../support/service.ts'

// Which calls are sent again, and which are not.

const SPEED = 50

const service = await startTestService({ after })

const PASSING: [what: string, fault: Fault][] = [
  ['a connection cut before the service has seen the request', CUT_BEFORE],
  ['a connection cut after the service has answered', CUT_AFTER],
  ["a connection cut in the middle of the answer's body", CUT_IN_BODY],
  ['408', refusal(408, 'request_timeout')],
  ['409 of a creation that is still being carried out', refusal(409, 'idempotency_in_progress', 1)],
  ['429', refusal(429, 'rate_limit_exceeded', 1)],
  ['500', refusal(500, 'internal_error')],
  ['502 that is not JSON', page(502)],
  ['503', refusal(503, 'service_unavailable', 1)],
  ['504 that is not JSON', page(504)],
]

for (const [what, fault] of PASSING) {
  test(`after ${what} a creation is sent again with the same Idempotency-Key, and creates one animal`, async t => {
    const { client, proxy } = await start(t, fault, fault)
    const pet = await client.pets.create({ name: what, categoryId: 7 })
    assert.deepEqual(await storedPets(what), [pet])
    assert.equal(proxy.requests.length, 3)
    const keys = new Set(proxy.requests.map(({ idempotencyKey }) => idempotencyKey))
    assert.equal(keys.size, 1)
    assert.match([...keys][0] ?? '', /^[\x21-\x7e]{16,255}$/)
  })

  test(`after ${what} a page is requested again`, async t => {
    const { client, proxy } = await start(t, fault)
    await client.pets.create({ name: 'Rex', categoryId: 7 })
    proxy.choose = inTurn(fault)
    const { pets } = await client.pets.list({ limit: 1 })
    assert.equal(pets.length, 1)
    assert.equal(proxy.requests.filter(({ method }) => method === 'GET').length, 2)
  })
}

const LASTING: [what: string, call: (pets: Pets) => PromiseLike<unknown>, fault?: Fault][] = [
  ['400 invalid_parameter', pets => pets.list({ limit: 0 })],
  ['400 invalid_cursor', pets => pets.list({ cursor: 'none' })],
  ['400 invalid_body', pets => pets.create({ name: '', categoryId: 1 })],
  ['401 invalid_api_key', pets => pets.list(), refusal(401, 'invalid_api_key')],
  ['404 pet_not_found', pets => pets.get(9_223_372_036_854_775_807n)],
  ['409 something_new', pets => pets.create({ name: 'Rex', categoryId: 1 }), refusal(409, 'something_new', 1)],
  ['413 body_too_large', pets => pets.create({ name: 'x'.repeat(70_000), categoryId: 1 })],
  ['422 something_new', pets => pets.create({ name: 'Rex', categoryId: 1 }), refusal(422, 'something_new', 1)],
  ['404 unexpected_answer', pets => pets.list(), page(404)],
  ['200 unexpected_answer', pets => pets.list(), page(200)],
]

for (const [what, call, fault] of LASTING) {
  test(`${what} is not sent again`, async t => {
    const { client, proxy } = await start(t, fault)
    const error = await errorOf(call(client.pets))
    assert.ok(error instanceof PetstoreError, String(error))
    assert.equal(`${error.status} ${error.code}`, what)
    // Another call goes through in the meantime: the refused one is neither in flight nor waiting.
    await client.pets.list()
    assert.equal(proxy.requests.length, 2)
  })
}

test('a call is sent again at most maxRetries times, and rejects with its last error', async t => {
  const failures = Array.from({ length: 5 }, (_, index) => refusal(500, `failure_${index}`))
  for (const maxRetries of [0, 1, 3]) {
    const { client, proxy } = await start(t, ...failures)
    const error = await errorOf(client.pets.create({ name: 'Rex', categoryId: 1 }, { maxRetries }))
    assert.ok(error instanceof PetstoreError)
    assert.equal(error.code, `failure_${maxRetries}`)
    assert.equal(proxy.requests.length, 1 + maxRetries)
  }
})

test('without retries, a refusal by the limits rejects immediately, and the next call still waits for its end', async t => {
  const { client, proxy } = await start(t, refusal(429, 'rate_limit_exceeded', 10))
  const error = await errorOf(client.pets.list({ maxRetries: 0 }))
  assert.ok(error instanceof RateLimitError)
  await client.pets.list({ maxRetries: 0 })
  assertNoneEarly(proxy.requests)
  assert.equal(proxy.requests.length, 2)
})

test('maxRetries must be a count', async t => {
  const { client, proxy } = await start(t)
  for (const count of [-1, 0.5, Number.NaN, '3', null]) {
    const maxRetries = count as number
    assert.ok((await errorOf(client.pets.list({ maxRetries }))) instanceof RangeError, String(count))
    const options = { apiKey: 'petstore_live_x', baseUrl: 'https://petstore.example/v1', maxRetries }
    if (count !== null) assert.throws(() => new PetstoreClient(options), RangeError)
  }
  assert.equal(proxy.requests.length, 0)
})

test('two calls with the same Idempotency-Key create one animal, and another body none', async t => {
  const { client, proxy } = await start(t)
  const options = { idempotencyKey: 'order-4711' }
  const first = await client.pets.create({ name: 'Mimi of order 4711', categoryId: 7 }, options)
  assert.deepEqual(await client.pets.create({ name: 'Mimi of order 4711', categoryId: 7 }, options), first)
  const error = await errorOf(client.pets.create({ name: 'Balou', categoryId: 7 }, options))
  assert.ok(error instanceof PetstoreError)
  assert.equal(`${error.status} ${error.code}`, '422 idempotency_key_reused')
  assert.deepEqual(await storedPets('Mimi of order 4711'), [first])
  assert.deepEqual(
    proxy.requests.map(({ idempotencyKey }) => idempotencyKey),
    ['order-4711', 'order-4711', 'order-4711'],
  )
})

test('two creations of the same animal are two animals', async t => {
  const { client, proxy } = await start(t)
  const twin = { name: 'a twin', categoryId: 7 }
  const ids = await Promise.all([client.pets.create(twin), client.pets.create(twin)])
  assert.notEqual(ids[0].id, ids[1].id)
  assert.equal(new Set(proxy.requests.map(({ idempotencyKey }) => idempotencyKey)).size, 2)
})

test('a creation whose answer comes too late is sent again, and creates one animal', async t => {
  const { proxy, key } = await start(t, delay(500))
  const client = clientOn(fastClock(SPEED), proxy.url, key, { attemptTimeoutMs: 200 * SPEED })
  const pet = await client.pets.create({ name: 'late', categoryId: 7 })
  assert.ok(proxy.requests.length >= 2)
  await proxy.settled()
  assert.deepEqual(await storedPets('late'), [pet])
})

/** A client whose requests meet these faults, one each. */
async function start(t: TestContext, ...faults: (Fault | undefined)[]) {
  const { key } = await service.createCaller()
  const clock = fastClock(SPEED)
  const proxy = await startFaultyProxy(t, service.url, { choose: inTurn(...faults), now: () => clock.now() })
  return { client: clientOn(clock, proxy.url, key), proxy, key }
}

async function storedPets(name: string): Promise<Pet[]> {
  return (await service.store.searchPets({ name, limit: 10 })).pets
}
