import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { revokeKey } from '../../src/domain/administration/keys.ts'
import type { ErrorCode } from '../../src/schema/error-codes.ts'
import { assertRefused, type Call, call, send } from '../support/call.ts'
import { createPet, petJson } from '../support/pets.ts'
import { startTestService } from '../support/service.ts'

// Contract, "Every response": parse → request id → OPTIONS → authenticate → ban → quota → route 404 → method 405 → scope 403 →
// media type 415 → size 413 → JSON 400 → schema 400 → idempotency → handler. Each call here would fail at two gates; the first one decides.

const service = await startTestService({ after })
const { account, key } = await service.createCaller()
const { key: readKey } = await service.issueKey(account, { scope: 'read' })
const { key: boundKey } = await service.issueKey(account, { networks: ['192.0.2.0/24'] })
const exhausted = await service.createCaller({ limits: { perMinute: 1, perDay: 1 } })
assert.equal((await call(service, { path: '/v1/pets', key: exhausted.key })).status, 200)

const banned = await service.createCaller({ limits: { perMinute: 1, perDay: 1 } })
await service.store.createBan(banned.keyId, {
  source: '127.0.0.1',
  earnedIn: 'minute',
  startedAt: service.clock.now,
  endsAt: service.clock.now + 900_000,
  ordinal: 1,
})
const bannedAndRevoked = await service.createCaller()
await service.store.createBan(bannedAndRevoked.keyId, {
  source: '127.0.0.1',
  earnedIn: 'minute',
  startedAt: service.clock.now,
  endsAt: service.clock.now + 900_000,
  ordinal: 1,
})
await revokeKey(service.adminContext(), String(bannedAndRevoked.keyId))
const exhaustedReadKey = (await service.issueKey(exhausted.account, { scope: 'read' })).key

const large = ' '.repeat(70_000)
await call(service, {
  method: 'POST',
  path: '/v1/pets',
  key,
  body: petJson(),
  headers: { 'Idempotency-Key': 'used' },
})

const rules: [rule: string, expected: ErrorCode | number, request: Call][] = [
  ['what cannot be parsed is refused before anyone asks for a key', 'malformed_request', { path: '/v1/%zz' }],
  ['what cannot be parsed is refused before OPTIONS', 'malformed_request', { method: 'OPTIONS', path: '/v1/%zz' }],
  ['a target too long is refused before anyone asks for a key', 'uri_too_long', { path: `/v1/${'a'.repeat(8_200)}` }],
  ['OPTIONS comes before authentication', 204, { method: 'OPTIONS', path: '/v1/pets', key: 'nonsense' }],
  ['OPTIONS comes before the ban', 204, { method: 'OPTIONS', path: '/v1/pets', key: banned.key }],
  ['OPTIONS comes before the quota', 204, { method: 'OPTIONS', path: '/v1/pets', key: exhausted.key }],
  ['authentication comes before the ban', 'invalid_api_key', { path: '/v1/pets', key: bannedAndRevoked.key }],
  ['authentication comes before the route', 'missing_api_key', { path: '/v1/nothing' }],
  ['under /v1 an unknown path with a bad key is 401', 'invalid_api_key', { path: '/v1/nothing', key: 'nonsense' }],
  ['even the version itself', 'missing_api_key', { path: '/v1' }],
  ['authentication comes before the method', 'missing_api_key', { method: 'DELETE', path: '/v1/pets' }],
  [
    'authentication comes before the media type',
    'missing_api_key',
    { method: 'POST', path: '/v1/pets', body: 'a', type: 'text/plain' },
  ],
  ['authentication comes before the size', 'missing_api_key', { method: 'POST', path: '/v1/pets', body: large }],
  ['authentication comes before the body', 'missing_api_key', { method: 'POST', path: '/v1/pets', body: '{' }],
  ['authentication comes before the parameters', 'missing_api_key', { path: '/v1/pets?limit=0' }],
  ['authentication comes before the animal', 'missing_api_key', { path: '/v1/pets/0' }],
  ['networks come before the route', 'invalid_api_key', { path: '/v1/nothing', key: boundKey }],
  [
    'the quota comes before the scope',
    'rate_limit_exceeded',
    { method: 'POST', path: '/v1/pets', key: exhaustedReadKey, body: petJson() },
  ],
  ['the route comes before the scope', 'route_not_found', { method: 'POST', path: '/v1/nothing', key: readKey }],
  ['the method comes before the scope', 'method_not_allowed', { method: 'PUT', path: '/v1/pets', key: readKey }],
  [
    'the scope comes before the media type',
    'insufficient_scope',
    { method: 'POST', path: '/v1/pets', key: readKey, body: 'a', type: 'text/plain' },
  ],
  [
    'the scope comes before the size',
    'insufficient_scope',
    { method: 'POST', path: '/v1/pets', key: readKey, body: large },
  ],
  [
    'the scope comes before the JSON',
    'insufficient_scope',
    { method: 'POST', path: '/v1/pets', key: readKey, body: '{' },
  ],
  [
    'the scope comes before the idempotency key',
    'insufficient_scope',
    { method: 'POST', path: '/v1/pets', key: readKey, body: petJson(), headers: { 'Idempotency-Key': 'a b' } },
  ],
  ['the ban comes before the route', 'api_key_banned', { path: '/v1/nothing', key: banned.key }],
  ['the quota comes before the route', 'rate_limit_exceeded', { path: '/v1/nothing', key: exhausted.key }],
  ['the quota comes before the method', 'rate_limit_exceeded', { method: 'PUT', path: '/v1/pets', key: exhausted.key }],
  ['the quota comes before the parameters', 'rate_limit_exceeded', { path: '/v1/pets?limit=0', key: exhausted.key }],
  ['the route comes before the method', 'route_not_found', { method: 'PUT', path: '/v1/nothing', key }],
  [
    'the route comes before the media type',
    'route_not_found',
    { method: 'POST', path: '/v1/nothing', key, body: 'a', type: 'text/plain' },
  ],
  [
    'the method comes before the media type',
    'method_not_allowed',
    { method: 'PUT', path: '/v1/pets', key, body: 'a', type: 'text/plain' },
  ],
  ['the method comes before the size', 'method_not_allowed', { method: 'PUT', path: '/v1/pets', key, body: large }],
  [
    'the media type comes before the size',
    'unsupported_media_type',
    { method: 'POST', path: '/v1/pets', key, body: large, type: 'text/plain' },
  ],
  [
    'the media type comes before the JSON',
    'unsupported_media_type',
    { method: 'POST', path: '/v1/pets', key, body: '{', type: 'application/xml' },
  ],
  ['the size comes before the JSON', 'body_too_large', { method: 'POST', path: '/v1/pets', key, body: `{${large}` }],
  [
    'the JSON comes before the schema',
    'invalid_json',
    { method: 'POST', path: '/v1/pets', key, body: '{"name":1,"categoryId":"x",}' },
  ],
  [
    'the schema comes before a malformed idempotency key',
    'invalid_body',
    { method: 'POST', path: '/v1/pets', key, body: '{}', headers: { 'Idempotency-Key': 'a b' } },
  ],
  [
    'the schema comes before a used idempotency key',
    'invalid_body',
    { method: 'POST', path: '/v1/pets', key, body: '{}', headers: { 'Idempotency-Key': 'used' } },
  ],
]

for (const [rule, expected, request] of rules) {
  test(rule, async () => {
    const answer = await call(service, request)
    if (typeof expected === 'number') assert.equal(answer.status, expected, answer.text)
    else assertRefused(answer, expected)
  })
}

test('a request that cannot be parsed still gets a request id', async () => {
  assertRefused(await send(service, 'GET /v1/pets\r\n\r\n'), 'malformed_request')
})

test('the ban comes before the quota', async t => {
  const own = await startTestService(t)
  const { key, keyId } = await own.createCaller({ limits: { perMinute: 1, perDay: 1 } })
  await call(own, { path: '/v1/pets', key })
  assertRefused(await call(own, { path: '/v1/pets', key }), 'rate_limit_exceeded')
  const { now } = own.clock
  await own.store.createBan(keyId, {
    source: '127.0.0.1',
    earnedIn: 'minute',
    startedAt: now,
    endsAt: now + 900_000,
    ordinal: 1,
  })
  assertRefused(await call(own, { path: '/v1/pets', key }), 'api_key_banned')
})

test('idempotency comes before the handler', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  const request: Call = { method: 'POST', path: '/v1/pets', key, body: petJson(), headers: { 'Idempotency-Key': 'k' } }
  const refused: Call = { ...request, body: petJson({ name: '"Other"' }) }
  assert.equal((await call(own, request)).json.id, 1)
  assertRefused(await call(own, refused), 'idempotency_key_reused')
  assert.equal((await createPet(own, key)).json.id, 2)
})
