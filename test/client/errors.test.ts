import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import {
  ApiKeyError,
  BannedError,
  InvalidRequestError,
  NetworkError,
  NotFoundError,
  PetstoreClient,
  PetstoreError,
  RateLimitError,
  ScopeError,
  ServiceError,
  TimeoutError,
} from '../../client/src/index.ts'
import { listBans } from '../../src/domain/administration/bans.ts'
import { call } from '../support/call.ts'
import { errorOf } from '../support/client.ts'
import { page, refusal } from '../support/faults.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { startTestService, type TestService } from '../support/service.ts'

// Every class of error, caused by the real service where possible.

const ERROR_CLASSES = [
  ApiKeyError,
  BannedError,
  InvalidRequestError,
  NetworkError,
  NotFoundError,
  RateLimitError,
  ScopeError,
  ServiceError,
  TimeoutError,
] as const

const service = await startTestService({ after })

test('an invalid key is an ApiKeyError', async () => {
  const { key } = await service.createCaller()
  const mistyped = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
  const error = await errorOf(clientOf(mistyped).pets.list())
  assertRefusal(error, ApiKeyError, 401, 'invalid_api_key')
})

test('a key of the other deployment is an ApiKeyError', async t => {
  const staging = await startTestService(t, { config: { deployment: 'staging' } })
  const { key } = await staging.createCaller()
  assertRefusal(await errorOf(clientOf(key).pets.list()), ApiKeyError, 401, 'invalid_api_key')
})

test('a key that can only read gets a ScopeError when it adds an animal, and is not called again', async () => {
  const { account } = await service.createCaller()
  const { key } = await service.issueKey(account, { scope: 'read' })
  const { pets } = clientOf(key)
  await pets.list()
  assertRefusal(await errorOf(pets.create({ name: 'Rex', categoryId: 1 })), ScopeError, 403, 'insufficient_scope')
})

test('an unknown animal is a NotFoundError', async () => {
  const { key } = await service.createCaller()
  assertRefusal(await errorOf(clientOf(key).pets.get(4_711n)), NotFoundError, 404, 'pet_not_found')
  assertRefusal(await errorOf(clientOf(key).pets.get(-1)), NotFoundError, 404, 'pet_not_found')
})

test("an invalid request is an InvalidRequestError with the service's message", async () => {
  const { key } = await service.createCaller()
  const { pets } = clientOf(key)
  const limit = await errorOf(pets.list({ limit: 101 }))
  assertRefusal(limit, InvalidRequestError, 400, 'invalid_parameter')
  assert.match((limit as Error).message, /limit must be an integer from 1 to 100/)
  assertRefusal(await errorOf(pets.list({ cursor: 'x' })), InvalidRequestError, 400, 'invalid_cursor')
  assertRefusal(await errorOf(pets.create({ name: ' ', categoryId: 1 })), InvalidRequestError, 400, 'invalid_body')
  const options = { idempotencyKey: 'once' }
  await pets.create({ name: 'Rex', categoryId: 1 }, options)
  const reused = await errorOf(pets.create({ name: 'Mimi', categoryId: 1 }, options))
  assertRefusal(reused, InvalidRequestError, 422, 'idempotency_key_reused')
})

test('an operation that was removed is an InvalidRequestError', async t => {
  const later = await startTestService(t, { now: Date.UTC(2030, 11, 5) })
  const { key } = await later.createCaller()
  const error = await errorOf(clientOf(key, later).pets.get(1))
  assertRefusal(error, InvalidRequestError, 410, 'operation_removed', later)
})

test('used-up calls are a RateLimitError with the time of the reset', async () => {
  const { key } = await service.createCaller({ limits: { perMinute: 3 } })
  for (let calls = 0; calls < 3; calls += 1) assert.equal((await call(service, { path: '/v1/pets', key })).status, 200)
  const before = Date.now()
  const error = await errorOf(clientOf(key).pets.list())
  assertRefusal(error, RateLimitError, 429, 'rate_limit_exceeded')
  assertInSeconds(error.retryAt, before, 60)
})

test('a call that is held back because no calls remain is a RateLimitError too', async () => {
  const { key } = await service.createCaller({ limits: { perMinute: 1 } })
  const client = clientOf(key)
  await client.pets.list()
  const before = Date.now()
  const error = await errorOf(client.pets.list())
  assert.ok(error instanceof RateLimitError)
  assert.equal(`${error.status} ${error.code}`, '429 rate_limit_exceeded')
  assertInSeconds(error.retryAt, before, 60)
})

test('a ban is a BannedError with the end of the ban', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller({ limits: { perMinute: 1 } })
  const list = () => call(own, { path: '/v1/pets', key })
  await list()
  await list()
  own.clock.advance(10_000)
  for (let calls = 0; calls < 60; calls += 1) await list()
  assert.equal((await listBans(own.store, { inForceAt: own.clock.now })).length, 1)
  const before = Date.now()
  const error = await errorOf(clientOf(key, own).pets.list())
  assertRefusal(error, BannedError, 429, 'api_key_banned', own)
  assertInSeconds(error.retryAt, before, 900)
})

test('a service that fails is a ServiceError', async t => {
  const { key } = await service.createCaller()
  const proxy = await startFaultyProxy(t, service.url, { choose: () => refusal(503, 'service_unavailable', 60) })
  const error = await errorOf(clientOf(key, proxy).pets.list())
  assert.ok(error instanceof ServiceError)
  assert.equal(`${error.status} ${error.code}`, '503 service_unavailable')
})

test('an answer that does not come from a Petstore is a ServiceError with its status', async t => {
  const { key } = await service.createCaller()
  for (const status of [200, 302, 403, 404, 418]) {
    const proxy = await startFaultyProxy(t, service.url, { choose: () => page(status) })
    const error = await errorOf(clientOf(key, proxy).pets.list())
    assert.ok(error instanceof ServiceError, `${status}: ${error}`)
    assert.equal(`${error.status} ${error.code}`, `${status} unexpected_answer`)
  }
})

test('a request that does not arrive in time is a TimeoutError', async t => {
  const { key } = await service.createCaller()
  const proxy = await startFaultyProxy(t, service.url, { choose: () => refusal(408, 'request_timeout', 60) })
  const error = await errorOf(clientOf(key, proxy).pets.list())
  assert.ok(error instanceof TimeoutError)
  assert.equal(`${error.status} ${error.code}`, '408 request_timeout')
})

test('an invalid address is rejected when the client is created', () => {
  for (const baseUrl of ['', 'petstore.example/v1', 'ftp://petstore.example/v1', 'https://petstore.example/v1?key=1']) {
    assert.throws(() => new PetstoreClient({ apiKey: 'petstore_live_x', baseUrl }), TypeError, baseUrl)
  }
})

test('a key pasted with extras is rejected when the client is created, and the error names the fault alone', () => {
  const key = 'petstore_live_0123456789'
  const cases: [fault: string, ...pasted: unknown[]][] = [
    ['it is not a string', undefined, null, 5],
    ['it is empty', ''],
    ['it begins with "Bearer"', `Bearer ${key}`, ` bearer: "${key}"`],
    ['it contains quotes', `"${key}"`, `'${key}'`, `\u201c${key}\u201d`, `${key}"\n`],
    ['it contains brackets', `<${key}>`, `[${key}]`, `{{${key}}}`],
    ['it contains a line end', `${key}\n`, `${key}\r\nX-More: 1`, `${key}\\n`, `${key}%0A`],
    ['it contains a space', ' ', `${key} `, `${key}\t`, `${key} ${key}`],
    ['it contains a comma or a semicolon', `${key},`, `${key};`],
    [
      'it contains a character that is invisible or not ASCII',
      ...[`${key}\u200b`, `\ufeff${key}`, `${key}\u00a0`, `${key}\0`, 'schlüssel'],
    ],
  ]
  for (const [fault, ...pasted] of cases) {
    for (const wrong of pasted) {
      const apiKey = wrong as string
      assert.throws(() => new PetstoreClient({ apiKey, baseUrl: service.baseUrl }), {
        name: 'TypeError',
        message: `apiKey must be an API key issued by the operator of the service; ${fault}.`,
      })
    }
  }
})

test('no error shows the key', async t => {
  const { key } = await service.createCaller({ limits: { perMinute: 1 } })
  const proxy = await startFaultyProxy(t, service.url)
  const client = clientOf(key, proxy)
  const errors = [
    await errorOf(client.pets.get(4_711n)),
    await errorOf(client.pets.list()),
    await errorOf(clientOf(key, { url: 'http://127.0.0.1:1' }).pets.list({ timeoutMs: 1_000 })),
  ]
  for (const error of errors) assert.doesNotMatch(inspectAll(error), new RegExp(key))
})

/** A client with short waits. */
function clientOf(apiKey: string, { url }: { url: string } = service): PetstoreClient {
  return new PetstoreClient({ apiKey, baseUrl: `${url}/v1`, timeoutMs: 10_000 })
}

/** Checks that the error has exactly this class, and the request id that the service has logged. */
function assertRefusal<Class extends (typeof ERROR_CLASSES)[number]>(
  error: unknown,
  Expected: Class,
  status: number,
  code: string,
  { logs }: Pick<TestService, 'logs'> = service,
): asserts error is InstanceType<Class> {
  assert.ok(error instanceof PetstoreError, String(error))
  const classes = ERROR_CLASSES.filter(one => error instanceof one)
  assert.deepEqual(classes, [Expected])
  assert.equal(error.name, Expected.name)
  assert.equal(`${error.status} ${error.code}`, `${status} ${code}`)
  const line = logs.find(line => error.requestId !== undefined && line.includes(error.requestId))
  assert.ok(line, `the call ${error.requestId} is in the log`)
}

function assertInSeconds(time: Date, since: number, seconds: number): void {
  const inMs = Number(time) - since
  assert.ok(inMs > (seconds - 2) * 1_000 && inMs < (seconds + 5) * 1_000, `in ${inMs} ms`)
}

function inspectAll(error: unknown): string {
  return `${inspect(error, { depth: 10, showHidden: true })} ${JSON.stringify(error)}`
}
