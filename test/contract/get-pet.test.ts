import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findAccount } from '../../src/domain/administration/accounts.ts'
import { assertRefused, type Call, call } from '../support/call.ts'
import { eventually } from '../support/eventually.ts'
import { createPet, readLinks } from '../support/pets.ts'
import type { Answer } from '../support/raw.ts'
import { startTestService } from '../support/service.ts'

// Specification, "GET /pets/{petId}", and contract, "Operations".

const REMOVAL = Date.UTC(2030, 11, 5)

const service = await startTestService({ after })
const { key } = await service.createCaller()
await createPet(service, key, { name: '"Rex"', status: '"sold"' })

const get = (id: string, more: Partial<Call> = {}) => call(service, { path: `/v1/pets/${id}`, key, ...more })

test('one animal is read by its id', async () => {
  const answer = await get('1')
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.json, { id: 1, name: 'Rex', categoryId: 7, status: 'sold' })
})

test('query parameters are ignored', async () => {
  assert.equal((await get('1?limit=0&status=none&cursor=x')).json.id, 1)
})

test('an id that is not a decimal int64, or matches no animal, is 404 pet_not_found', async t => {
  const ids = [
    '2',
    '0',
    '-1',
    '9223372036854775807',
    '-9223372036854775808',
    '9223372036854775808',
    '99999999999999999999999999',
    '1.0',
    '1e0',
    '01',
    '+1',
    '-0',
    '0x1',
    'one',
    '1a',
    '%201',
    '1%00',
    '٣',
    'null',
    '*',
    '..',
    "1'--",
    '9'.repeat(2_000),
  ]
  for (const id of ids) {
    await t.test(id.slice(0, 40), async () => assertRefused(await get(encodeBytes(id)), 'pet_not_found'))
  }
})

test('every answer has Deprecation, Sunset and a Link to the docs', async t => {
  const etag = (await get('1')).header('etag') ?? ''
  const limited = await service.createCaller({ limits: { perMinute: 1, perDay: 10 } })
  await call(service, { path: '/v1/pets/1', key: limited.key })
  const answers: [status: number, request: Call][] = [
    [200, { path: '/v1/pets/1', key }],
    [200, { method: 'HEAD', path: '/v1/pets/1', key }],
    [304, { path: '/v1/pets/1', key, headers: { 'If-None-Match': etag } }],
    [404, { path: '/v1/pets/0', key }],
    [404, { path: '/v1/pets/none', key }],
    [401, { path: '/v1/pets/1' }],
    [401, { path: '/v1/pets/1', key: 'nonsense' }],
    [429, { path: '/v1/pets/1', key: limited.key }],
  ]
  for (const [status, request] of answers) {
    await t.test(`${request.method ?? 'GET'} ${request.path} → ${status}`, async () => {
      const answer = await call(service, request)
      assert.equal(answer.status, status)
      assertDeprecated(answer)
    })
  }
  await t.test('and no answer of the list has them', async () => {
    const answer = await call(service, { path: '/v1/pets', key })
    assert.equal(answer.header('deprecation'), undefined)
    assert.equal(answer.header('sunset'), undefined)
  })
})

test('from 5 December 2030 on it answers 410 operation_removed, and one millisecond before it does not', async t => {
  const own = await startTestService(t, { now: REMOVAL - 1 })
  const { key } = await own.createCaller()
  await createPet(own, key)
  assert.equal((await call(own, { path: '/v1/pets/1', key })).status, 200)
  own.clock.now = REMOVAL
  for (const path of ['/v1/pets/1', '/v1/pets/0', '/v1/pets/none']) {
    const answer = await call(own, { path, key })
    assertRefused(answer, 'operation_removed')
    assertDeprecated(answer)
  }
  assert.equal((await call(own, { method: 'HEAD', path: '/v1/pets/1', key })).status, 410)
  const { header } = await call(own, { path: '/v1/pets', key }).then(answer => ({ header: answer.header.bind(answer) }))
  const headers = { 'If-None-Match': header('etag') ?? '' }
  assertRefused(await call(own, { path: '/v1/pets/1', key, headers }), 'operation_removed')
  assert.equal((await call(own, { path: '/v1/pets?status=available', key })).status, 200, 'the replacement stays')
  assert.equal((await createPet(own, key)).json.id, 2)
})

test('a removed operation still needs a key and costs a call', async t => {
  const own = await startTestService(t, { now: REMOVAL })
  const { key } = await own.createCaller({ limits: { perMinute: 1, perDay: 10 } })
  assertRefused(await call(own, { path: '/v1/pets/1' }), 'missing_api_key')
  assertRefused(await call(own, { path: '/v1/pets/1', key }), 'operation_removed')
  assertRefused(await call(own, { path: '/v1/pets/1', key }), 'rate_limit_exceeded')
})

test('its calls are counted per account, so that operators see who still depends on it', async t => {
  const own = await startTestService(t)
  const user = await own.createCaller()
  const other = await own.createCaller()
  await createPet(own, user.key)
  for (const path of ['/v1/pets/1', '/v1/pets/1', '/v1/pets/0']) await call(own, { path, key: user.key })
  await call(own, { path: '/v1/pets', key: other.key })
  const usage = async (id: bigint) => (await findAccount(own.store, String(id))).deprecatedCalls
  await eventually(async () => assert.equal(await usage(user.account.id), 3))
  assert.equal(await usage(other.account.id), 0)
  const { lastDeprecatedCallAt } = await findAccount(own.store, String(user.account.id))
  assert.equal(lastDeprecatedCallAt, own.clock.now)
})

test('an orderly stop loses no count of its calls', async t => {
  const own = await startTestService(t)
  const { key, account } = await own.createCaller()
  await createPet(own, key)
  for (let calls = 0; calls < 5; calls++) await call(own, { path: '/v1/pets/1', key })
  await own.close()
  const next = await own.startAnother()
  assert.equal((await findAccount(next.store, String(account.id))).deprecatedCalls, 5)
})

test('it has a strong ETag; If-None-Match with it is 304', async t => {
  const answer = await get('1')
  const etag = answer.header('etag') ?? ''
  assert.match(etag, /^"[^"]+"$/)
  assert.equal(answer.header('cache-control'), 'private, no-cache')
  assert.notEqual(etag, (await get(String((await createPet(service, key)).json.id))).header('etag'))
  for (const value of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    await t.test(`${value.replace(etag.slice(1, -1), 'tag')} is 304`, async () => {
      const unchanged = await get('1', { headers: { 'If-None-Match': value } })
      assert.equal(unchanged.status, 304)
      assert.equal(unchanged.body.length, 0)
      assert.equal(unchanged.header('etag'), etag)
      assert.equal(unchanged.header('cache-control'), 'private, no-cache')
    })
  }
  await t.test('a list may come in several headers', async () => {
    const headers = [['If-None-Match', '"x"'] as const, ['If-None-Match', etag] as const]
    assert.equal((await get('1', { headers })).status, 304)
  })
  await t.test('another one is 200', async () => {
    assert.equal((await get('1', { headers: { 'If-None-Match': '"x"' } })).status, 200)
  })
  await t.test('what does not exist is 404 even for *', async () => {
    assertRefused(await get('0', { headers: { 'If-None-Match': '*' } }), 'pet_not_found')
  })
})

function assertDeprecated(answer: Answer): void {
  assert.match(answer.header('deprecation') ?? '', /^@[0-9]+$/, 'Deprecation, as RFC 9745 writes it')
  assert.ok(Number(answer.header('deprecation')?.slice(1)) < REMOVAL / 1_000)
  assert.equal(answer.header('sunset'), 'Thu, 05 Dec 2030 00:00:00 GMT')
  const { deprecation } = readLinks(answer)
  assert.match(deprecation ?? '', /\/docs(?:$|[#?/])/)
}

function encodeBytes(text: string): string {
  return text.replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}
