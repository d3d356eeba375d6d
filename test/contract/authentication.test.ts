import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { changeKey, issueKey, listKeys, revokeKey, rotateKey } from '../../src/domain/administration/keys.ts'
import { generateKey } from '../../src/domain/api-key.ts'
import { hashSecret } from '../../src/domain/secret.ts'
import { adminContext } from '../support/admin-context.ts'
import { assertRefused, type Call, call } from '../support/call.ts'
import { untilOthersWritesShow } from '../support/eventually.ts'
import { malformedCredentials } from '../support/malformed-credentials.ts'
import { createPet } from '../support/pets.ts'
import { readRate } from '../support/rate.ts'
import type { Answer } from '../support/raw.ts'
import { startTestService } from '../support/service.ts'

// Specification and contract, "Authentication".

const service = await startTestService({ after })
const { key } = await service.createCaller()
await createPet(service, key)

const withAuthorization = (...values: string[]) =>
  call(service, { path: '/v1/pets', headers: values.map(value => ['Authorization', value] as const) })

test('the key is sent as a bearer token; the case of the scheme does not matter', async t => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEARER']) {
    await t.test(scheme, async () => assert.equal((await withAuthorization(`${scheme} ${key}`)).status, 200))
  }
})

test('all three operations need a key', async t => {
  const operations: Call[] = [
    { path: '/v1/pets' },
    { method: 'HEAD', path: '/v1/pets' },
    { method: 'POST', path: '/v1/pets', body: '{"name":"Rex","categoryId":1}' },
    { path: '/v1/pets/1' },
  ]
  for (const operation of operations) {
    await t.test(`${operation.method ?? 'GET'} ${operation.path}`, async () => {
      assert.equal((await call(service, operation)).status, 401)
      assert.ok((await call(service, { ...operation, key })).status < 300)
    })
  }
})

test('a call without a key is 401 missing_api_key, with WWW-Authenticate: Bearer and no error', async () => {
  const answer = await call(service, { path: '/v1/pets' })
  assertRefused(answer, 'missing_api_key')
  assert.match(answer.header('www-authenticate') ?? '', /^Bearer\b/)
  assert.doesNotMatch(answer.header('www-authenticate') ?? '', /error/)
})

test('a key is read from the Authorization header alone', async () => {
  for (const path of [`/v1/pets?api_key=${key}`, `/v1/pets?access_token=${key}`, `/v1/pets?key=${key}`]) {
    assertRefused(await call(service, { path }), 'missing_api_key')
  }
  assertRefused(await call(service, { path: '/v1/pets', headers: { 'X-API-Key': key } }), 'missing_api_key')
})

test('to callers, all bad keys of the right form look alike: 401 invalid_api_key with error="invalid_token"', async t => {
  const { clock } = service
  const { account } = await service.createCaller()
  const expired = await service.issueKey(account, { expiresAt: clock.now + 1 })
  const revoked = await service.issueKey(account)
  await revokeKey(service.adminContext(), String(revoked.id))
  clock.advance(1)
  const staging = await issueKey(adminContext(service.store, clock.now, 'staging'), { account: String(account.id) })
  const bound = await service.issueKey(account, { networks: ['192.0.2.0/24', '2001:db8::/32'] })
  const swapped = key.replace(/.$/, last => (last === 'A' ? 'B' : 'A'))
  const credentials: [what: string, value: string][] = [
    ['malformed', 'Bearer nonsense'],
    ['of another case', `Bearer ${key.replace(/[a-z]/gi, c => (c < 'a' ? c.toLowerCase() : c.toUpperCase()))}`],
    ['mistyped at its end', `Bearer ${swapped}`],
    ['unknown', `Bearer ${generateKey('production')}`],
    ['expired', `Bearer ${expired.key}`],
    ['revoked', `Bearer ${revoked.key}`],
    ['bound to other networks', `Bearer ${bound.key}`],
    ['of the other deployment', `Bearer ${generateKey('staging')}`],
    ['stored, but of the other deployment', `Bearer ${staging.key}`],
    ['very long', `Bearer ${'a'.repeat(8_000)}`],
  ]
  const seen: string[] = []
  for (const [what, value] of credentials) {
    await t.test(what, async () => {
      const answer = await withAuthorization(value)
      assertRefused(answer, 'invalid_api_key')
      assert.match(answer.header('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
      seen.push(outside(answer))
    })
  }
  assert.equal(new Set(seen).size, 1, 'byte for byte the same')
})

test('a header of the wrong form is 401 invalid_api_key; its message names the fault, whatever the key, and repeats nothing', async t => {
  const { account } = await service.createCaller()
  const revoked = await service.issueKey(account)
  await revokeKey(service.adminContext(), String(revoked.id))
  const keys = [key, revoked.key, generateKey('production'), generateKey('staging'), 'xyzzy']
  for (const [what, fault, ...formats] of malformedCredentials()) {
    await t.test(what, async () => {
      for (const format of formats) {
        const seen = new Set<string>()
        for (const one of keys) {
          const answer = await withAuthorization(...[format(one)].flat())
          assertRefused(answer, 'invalid_api_key')
          const message = `The API key is not valid: ${fault}; send "Authorization: Bearer <API_KEY>".`
          assert.deepEqual(
            JSON.parse(answer.text),
            { code: 'invalid_api_key', message, status: 401 },
            format('KEY').toString(),
          )
          assert.match(answer.header('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
          seen.add(outside(answer))
        }
        assert.equal(seen.size, 1, 'byte for byte the same for every key')
      }
    })
  }
})

test('the log says why a key is not valid', async t => {
  const own = await startTestService(t)
  const { account } = await own.createCaller()
  const expired = await own.issueKey(account, { expiresAt: own.clock.now + 1 })
  const revoked = await own.issueKey(account)
  await revokeKey(own.adminContext(), String(revoked.id))
  const bound = await own.issueKey(account, { networks: ['192.0.2.0/24'] })
  own.clock.advance(1)
  const reasons: [key: string, reason: RegExp][] = [
    [expired.key, /expired/],
    [revoked.key, /revoked/],
    [bound.key, /not allowed from 127\.0\.0\.1/],
    [generateKey('production'), /unknown/],
    // The checksum tells a mistyped key from an unknown one, without asking the store.
    [generateKey('production').replace(/.$/, last => (last === 'A' ? 'B' : 'A')), /^(?!.*unknown)/],
    [generateKey('staging'), /deployment/],
    [`"${generateKey('production')}"`, /it contains quotes/],
  ]
  for (const [key, reason] of reasons) {
    const id = `reason-${reasons.findIndex(([one]) => one === key)}`
    await call(own, { path: '/v1/pets', key, headers: { 'X-Request-Id': id } })
    const line = own.logs.find(one => one.includes(id)) ?? ''
    assert.match(line, reason)
    assert.ok(!line.includes(key), 'and never the key')
  }
})

test('a key shows its deployment, carries at least 160 random bits in base62, and a checksum', async t => {
  const staging = await startTestService(t, { config: { deployment: 'staging' } })
  const { key: stagingKey } = await staging.createCaller()
  const secretLength = Math.ceil(160 / Math.log2(62))
  assert.match(key, new RegExp(`^petstore_live_[0-9A-Za-z]{${secretLength + 6},}$`))
  assert.match(stagingKey, new RegExp(`^petstore_test_[0-9A-Za-z]{${secretLength + 6},}$`))
  for (let index = 0; index < key.length; index++) {
    const mistyped = `${key.slice(0, index)}${key[index] === 'x' ? 'y' : 'x'}${key.slice(index + 1)}`
    assertRefused(await call(service, { path: '/v1/pets', key: mistyped }), 'invalid_api_key')
  }
})

test('only the SHA-256 of a key is stored', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  assert.equal((await call(own, { path: '/v1/pets', key })).status, 200)
  await own.close()
  const stored = await own.backend.dump()
  assert.ok(!stored.includes(key) && !stored.includes(key.slice('petstore_live_'.length)))
  const hash = hashSecret(key)
  assert.ok(stored.includes(hash) || stored.includes(Buffer.from(hash, 'hex').toString('latin1')))
  assert.ok(!own.logs.join('').includes(key), 'and no log knows it')
})

test('a key is shown once: no list of keys has it', async () => {
  const { account, key } = await service.createCaller()
  const listed = await listKeys(service.store, String(account.id))
  assert.equal(listed.length, 1)
  const { hint, ...others } = listed[0] ?? { hint: '' }
  assert.ok(hint.length > 0 && hint.length <= 6 && key.endsWith(hint), 'but for its last characters')
  assert.ok(!Object.values(others).some(value => String(value).includes(key.slice(-10))))
})

test('a key can carry a name and an expiry: it works until that instant', async () => {
  const { clock } = service
  const { account } = await service.createCaller()
  const named = await service.issueKey(account, { name: 'nightly import', expiresAt: clock.now + 5_000 })
  assert.equal(named.name, 'nightly import')
  clock.advance(4_999)
  assert.equal((await call(service, { path: '/v1/pets', key: named.key })).status, 200)
  clock.advance(1)
  assertRefused(await call(service, { path: '/v1/pets', key: named.key }), 'invalid_api_key')
})

test('a key can be rotated with an overlap, in which both keys work', async () => {
  const { clock } = service
  const { key: old, keyId } = await service.createCaller()
  const { issued } = await rotateKey(service.adminContext(), { keyId: String(keyId), overlapSeconds: 60 })
  const next = issued.key
  assert.equal((await call(service, { path: '/v1/pets', key: next })).status, 200)
  clock.advance(59_999)
  assert.equal((await call(service, { path: '/v1/pets', key: old })).status, 200)
  clock.advance(1)
  assertRefused(await call(service, { path: '/v1/pets', key: old }), 'invalid_api_key')
  assert.equal((await call(service, { path: '/v1/pets', key: next })).status, 200)
})

test("the overlap never extends past the old key's expiry", async () => {
  const { clock } = service
  const { account } = await service.createCaller()
  const old = await service.issueKey(account, { expiresAt: clock.now + 1_000 })
  await rotateKey(service.adminContext(), { keyId: String(old.id), overlapSeconds: 60 })
  clock.advance(999)
  assert.equal((await call(service, { path: '/v1/pets', key: old.key })).status, 200)
  clock.advance(1)
  assertRefused(await call(service, { path: '/v1/pets', key: old.key }), 'invalid_api_key')
})

test('a revoked key fails on its very next call', async () => {
  const { key, keyId } = await service.createCaller()
  assert.equal((await call(service, { path: '/v1/pets', key })).status, 200)
  await revokeKey(service.adminContext(), String(keyId))
  assertRefused(await call(service, { path: '/v1/pets', key }), 'invalid_api_key')
})

test('a read key lists and reads animals; adding one is refused, and counted like any admitted call', async () => {
  const { account } = await service.createCaller({ plan: 'free' })
  const { key } = await service.issueKey(account, { scope: 'read' })
  const before = await call(service, { path: '/v1/pets', key })
  const calls: [expected: number, request: Call][] = [
    [200, { path: '/v1/pets' }],
    [200, { method: 'HEAD', path: '/v1/pets' }],
    [200, { path: '/v1/pets/1' }],
    [403, { method: 'POST', path: '/v1/pets', body: '{"name":"Rex","categoryId":1}' }],
    [403, { method: 'POST', path: '/v1/pets', body: '{' }],
  ]
  for (const [index, [expected, request]] of calls.entries()) {
    const answer = await call(service, { ...request, key })
    assert.equal(answer.status, expected)
    assert.equal(readRate(answer).remaining, readRate(before).remaining - index - 1)
    if (expected !== 403) continue
    assertRefused(answer, 'insufficient_scope')
    assert.equal(answer.header('www-authenticate'), 'Bearer error="insufficient_scope", scope="read-write"')
  }
  assert.equal((await call(service, { path: '/v1/pets', key })).text, before.text, 'nothing was added')
})

test('a read key gets no replay of a creation, either', async () => {
  const { account, key } = await service.createCaller()
  const { key: readKey } = await service.issueKey(account, { scope: 'read' })
  const headers = { 'Idempotency-Key': 'for-read-keys' }
  const creation = { method: 'POST', path: '/v1/pets', body: '{"name":"Rex","categoryId":1}', headers }
  assert.equal((await call(service, { ...creation, key })).status, 201)
  assertRefused(await call(service, { ...creation, key: readKey }), 'insufficient_scope')
})

test('a key that is bound to networks only works from them', async t => {
  const own = await startTestService(t, { config: { trustedProxies: ['127.0.0.1'] } })
  const { account } = await own.createCaller()
  const { key } = await own.issueKey(account, { networks: ['192.0.2.0/25', '198.51.100.7', '2001:db8:1::/48'] })
  const clients: [address: string, status: 200 | 401][] = [
    ['192.0.2.0', 200],
    ['192.0.2.127', 200],
    ['192.0.2.128', 401],
    ['192.0.1.255', 401],
    ['198.51.100.7', 200],
    ['198.51.100.6', 401],
    ['::ffff:192.0.2.7', 200],
    ['::ffff:c000:280', 401],
    ['2001:db8:1:ffff::1', 200],
    ['2001:db8:2::1', 401],
    ['192.0.2.7:4711', 200],
    ['[2001:db8:1::1]:4711', 200],
    ['192.0.2.7, 203.0.113.1', 401],
    ['203.0.113.1, 192.0.2.7', 200],
    ['192.0.2.7, unknown', 401],
  ]
  for (const [address, status] of clients) {
    const answer = await call(own, { path: '/v1/pets', key, headers: { 'X-Forwarded-For': address } })
    assert.equal(answer.status, status, address)
    if (status === 401) {
      assertRefused(answer, 'invalid_api_key')
      assert.deepEqual(
        Object.keys(readRate(answer).windows),
        ['anonymous'],
        'it counts for the client, not the account',
      )
    }
  }
  assertRefused(await call(own, { path: '/v1/pets', key }), 'invalid_api_key')
})

test('a client cannot claim an address with X-Forwarded-For', async () => {
  const { account } = await service.createCaller()
  const { key } = await service.issueKey(account, { networks: ['192.0.2.0/24'] })
  for (const headers of [
    { 'X-Forwarded-For': '192.0.2.7' },
    { Forwarded: 'for=192.0.2.7' },
    { 'X-Real-IP': '192.0.2.7' },
  ]) {
    assertRefused(await call(service, { path: '/v1/pets', key, headers }), 'invalid_api_key')
  }
})

test('a new scope and new networks apply from the next call, even if another process sets them', async () => {
  const { account } = await service.createCaller()
  const { key, id } = await service.issueKey(account)
  const creation = { method: 'POST', path: '/v1/pets', key, body: '{"name":"Rex","categoryId":1}' }
  const other = await service.openStore()
  for (const store of [service.store, other]) {
    const context = adminContext(store, service.clock.now)
    const change = async (given: Parameters<typeof changeKey>[2]) => {
      await changeKey(context, String(id), given)
      if (store === other) await untilOthersWritesShow()
    }
    assert.equal((await call(service, creation)).status, 201)
    await change({ scope: 'read' })
    assertRefused(await call(service, creation), 'insufficient_scope')
    await change({ scope: 'read-write', networks: ['192.0.2.0/24'] })
    assertRefused(await call(service, creation), 'invalid_api_key')
    await change({ networks: ['127.0.0.0/8', '::1'] })
    assert.equal((await call(service, creation)).status, 201)
    await change({ networks: null })
  }
})

test('a key issued or revoked by another process takes effect on the next call', async () => {
  const other = await service.openStore()
  const { account } = await service.createCaller()
  for (let round = 0; round < 5; round++) {
    const { key, id } = await issueKey(adminContext(other, service.clock.now), { account: String(account.id) })
    await untilOthersWritesShow()
    assert.equal((await call(service, { path: '/v1/pets', key })).status, 200)
    await revokeKey(adminContext(other, service.clock.now), String(id))
    await untilOthersWritesShow()
    assertRefused(await call(service, { path: '/v1/pets', key }), 'invalid_api_key')
  }
})

test('calls without a valid key are counted per client address, with their own limit', async t => {
  const own = await startTestService(t, { config: { anonymousPerMinute: 4 } })
  const { key } = await own.createCaller({ plan: 'free' })
  // A key that the instance does not know yet would not be looked up once the allowance is used up.
  assert.equal((await call(own, { path: '/v1/pets', key })).status, 200)
  const calls: Call[] = [
    { path: '/v1/pets' },
    { path: '/v1/pets', key: 'nonsense' },
    { path: '/nothing' },
    { path: '/v1/%zz', key },
  ]
  for (const [index, one] of calls.entries()) {
    const answer = await call(own, one)
    assert.ok([400, 401, 404].includes(answer.status))
    assert.equal(answer.header('ratelimit-policy'), '"anonymous";q=4;w=60')
    assert.equal(readRate(answer).remaining, 3 - index)
  }
  for (const one of [calls[0], calls[1], calls[2], { path: '/docs' }]) {
    const refused = await call(own, one as Call)
    assertRefused(refused, 'rate_limit_exceeded')
    assert.equal(refused.header('retry-after'), '60')
    assert.equal(readRate(refused).remaining, 0)
  }
  const admitted = await call(own, { path: '/v1/pets', key })
  assert.equal(admitted.status, 200, 'a valid key is no anonymous call')
  assert.equal(readRate(admitted).remaining, 58)
  assert.equal((await call(own, { method: 'OPTIONS', path: '/v1/pets' })).status, 204)
  own.clock.advance(60_000)
  assert.equal(
    (await call(own, { path: '/v1/pets' })).status,
    401,
    'a client that sleeps until the reset is heard again',
  )
})

test('the default limit of an address is 600 a minute', async t => {
  const own = await startTestService(t)
  const answer = await call(own, { path: '/v1/pets' })
  assert.equal(answer.header('ratelimit-policy'), '"anonymous";q=600;w=60')
  assert.equal(answer.header('ratelimit'), '"anonymous";r=599;t=60')
})

test("calls without a valid key never touch or reveal an account's counters", async t => {
  const own = await startTestService(t)
  const { key, account } = await own.createCaller({ plan: 'free' })
  const revoked = await own.issueKey(account)
  await call(own, { path: '/v1/pets', key: revoked.key })
  await revokeKey(own.adminContext(), String(revoked.id))
  const answer = await call(own, { path: '/v1/pets', key: revoked.key })
  assert.deepEqual(Object.keys(readRate(answer).windows), ['anonymous'])
  assert.equal(readRate(await call(own, { path: '/v1/pets', key })).remaining, 58)
})

test('the client address is that of the connection, even with X-Forwarded-For', async t => {
  const own = await startTestService(t)
  for (const [index, invented] of ['203.0.113.1', '203.0.113.2', '2001:db8::1', 'nonsense'].entries()) {
    const answer = await call(own, { path: '/v1/pets', headers: { 'X-Forwarded-For': invented } })
    assert.equal(readRate(answer).remaining, 599 - index)
  }
})

test('behind trusted proxies it is the last address that is not one of them; IPv6 counts by /64', async t => {
  const own = await startTestService(t, { config: { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] } })
  const sequence: [forwardedFor: string, remaining: number][] = [
    ['203.0.113.1', 599],
    ['203.0.113.1', 598],
    ['203.0.113.2', 599],
    ['198.51.100.9, 203.0.113.1', 597],
    ['198.51.100.9, 203.0.113.1, 10.1.2.3', 596],
    ['2001:db8:0:1::1', 599],
    ['2001:db8:0:1:ffff::2', 598],
    ['2001:db8:0:2::1', 599],
    ['::ffff:203.0.113.2', 598],
  ]
  for (const [forwardedFor, remaining] of sequence) {
    const answer = await call(own, { path: '/v1/pets', headers: { 'X-Forwarded-For': forwardedFor } })
    assert.equal(readRate(answer).remaining, remaining, forwardedFor)
  }
})

/** The parts of an answer that do not differ between any two calls. */
function outside(answer: Answer): string {
  const changing = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit']
  const headers = answer.headers.filter(([name]) => !changing.includes(name.toLowerCase()))
  return JSON.stringify([answer.status, headers, answer.text])
}
