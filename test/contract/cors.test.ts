import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Call, call } from '../support/call.ts'
import { createPet, petJson } from '../support/pets.ts'
import type { Answer } from '../support/raw.ts'
import { startTestService, type TestService } from '../support/service.ts'

// Contract, "Every response": CORS headers only for origins that the operator listed.

const LISTED = ['https://app.pets.example', 'http://localhost:3000']
const service = await startTestService({ after }, { config: { corsOrigins: LISTED } })
const { key } = await service.createCaller()
await createPet(service, key)

const from = (origin: string, request: Partial<Call> = {}, at: TestService = service) =>
  call(at, { path: '/v1/pets', ...request, headers: { Origin: origin, ...request.headers } as Record<string, string> })

test('a listed origin may read answers of every kind', async t => {
  const calls: [status: number, request: Partial<Call>][] = [
    [200, { key }],
    [201, { key, method: 'POST', body: petJson() }],
    [400, { key, path: '/v1/pets?limit=0' }],
    [401, {}],
    [404, { key, path: '/v1/pets/0' }],
    [404, { key, path: '/v1/nothing' }],
    [405, { key, method: 'DELETE' }],
  ]
  for (const origin of LISTED) {
    for (const [status, request] of calls) {
      await t.test(`${origin}: ${request.method ?? 'GET'} ${request.path ?? ''} → ${status}`, async () => {
        const answer = await from(origin, request)
        assert.equal(answer.status, status)
        assert.equal(answer.header('access-control-allow-origin'), origin)
        assert.match(answer.header('vary') ?? '', /\borigin\b/i)
      })
    }
  }
})

test('a page may read the headers that the contract names', async () => {
  const exposed = listOf(await from(LISTED[0] as string, { key }), 'access-control-expose-headers')
  for (const name of [
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'X-Request-Id',
    'Link',
    'Location',
    'ETag',
    'Deprecation',
    'Sunset',
    'Idempotency-Replayed',
    'WWW-Authenticate',
  ]) {
    assert.ok(exposed.includes(name.toLowerCase()), name)
  }
})

test('a preflight of a listed origin is answered with the methods and headers of the API', async () => {
  const headers = {
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization, content-type, idempotency-key',
  }
  const answer = await from(LISTED[0] as string, { method: 'OPTIONS', headers })
  assert.equal(answer.status, 204)
  assert.equal(answer.header('access-control-allow-origin'), LISTED[0])
  for (const method of ['get', 'head', 'post']) {
    assert.ok(listOf(answer, 'access-control-allow-methods').includes(method), method)
  }
  assert.deepEqual(listOf(answer, 'access-control-allow-headers').toSorted(), [
    'authorization',
    'content-type',
    'idempotency-key',
    'if-none-match',
    'user-agent',
    'x-petstore-client',
    'x-request-id',
  ])
  assert.equal(answer.header('access-control-allow-credentials'), undefined)
})

test('a preflight of a listed origin allows every well-formed header name that it asks for, beside those of the API', async t => {
  const preflight = async (asked: string) => {
    const headers = { 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': asked }
    const answer = await from(LISTED[0] as string, { method: 'OPTIONS', headers })
    assert.equal(answer.status, 204)
    return listOf(answer, 'access-control-allow-headers')
  }
  const own = await preflight('')
  const many = Array.from({ length: 1_000 }, (_, index) => `x-header-${index}`)
  for (const [asked, allowed] of [
    ['authorization,baggage,sentry-trace', ['baggage', 'sentry-trace']],
    ['traceparent, tracestate', ['traceparent', 'tracestate']],
    ['x-datadog-trace-id,newrelic,b3,x-b3-traceid,uber-trace-id', undefined],
    ['Baggage,BAGGAGE , baggage', ['baggage']],
    ["!#$%&'*+-.^_`|~9", undefined],
    ['__proto__,constructor', undefined],
    ['x y,x"y,x/y,x:y,(x),x\u00e9,x\tz,,traceparent', ['traceparent']],
    ['*,x-own', ['*', 'x-own']],
    [many.join(','), undefined],
  ] as const) {
    await t.test(asked.slice(0, 60), async () => {
      const expected = [...own, ...(allowed ?? asked.split(','))]
      assert.deepEqual((await preflight(asked)).toSorted(), expected.toSorted())
    })
  }
})

test('no other origin gets a CORS header', async t => {
  const others = [
    'https://evil.example',
    'https://app.pets.example.evil.example',
    'https://app.pets.example:8443',
    'http://app.pets.example',
    'https://APP.pets.example',
    'https://app.pets.example/',
    'null',
    '*',
    '',
  ]
  for (const origin of others) {
    await t.test(origin || 'an empty one', async () => {
      assertNoCors(await from(origin, { key }))
      const headers = { 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'traceparent' }
      const preflight = await from(origin, { method: 'OPTIONS', headers })
      assert.equal(preflight.status, 204)
      assertNoCors(preflight)
    })
  }
})

test('a response to a call without an origin has no CORS header, but varies by origin', async () => {
  const answer = await call(service, { path: '/v1/pets', key })
  assertNoCors(answer)
  assert.match(answer.header('vary') ?? '', /\borigin\b/i)
})

test('without listed origins there are no CORS headers', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  for (const request of [{ key }, {}, { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'GET' } }]) {
    const answer = await from(LISTED[0] as string, request, own)
    assertNoCors(answer)
    assert.doesNotMatch(answer.header('vary') ?? '', /Origin/)
  }
})

function assertNoCors(answer: Answer): void {
  const names = answer.headers.map(([name]) => name.toLowerCase())
  assert.deepEqual(
    names.filter(name => name.startsWith('access-control-')),
    [],
  )
}

function listOf(answer: Answer, name: string): string[] {
  return (answer.header(name) ?? '').toLowerCase().split(/\s*,\s*/)
}
