import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listBans } from '../../src/domain/administration/bans.ts'
import { GRACE_MS } from '../../src/domain/ban.ts'
import { call } from '../support/call.ts'
import { startTestService, type TestService } from '../support/service.ts'

// Contract, "Bans": a ban applies to the address that ignores a 429, not to others that share the key. A trusted proxy names the addresses.

const PROXIED = { config: { trustedProxies: ['127.0.0.1'] } }

test('500 visitors from 500 addresses, a fifth of whom reload, are not banned', async t => {
  const service = await startTestService(t, PROXIED)
  const { key } = await service.createCaller({ limits: { perMinute: 60, perDay: 1_000 } })
  const outcomes: string[] = []
  for (let visitor = 0; visitor < 500; visitor += 1) {
    service.clock.advance(40)
    const address = `198.51.${visitor >> 8}.${visitor & 255}`
    for (let calls = 0; calls < (visitor % 5 === 0 ? 2 : 1); calls += 1) {
      outcomes.push(await codeOf(service, key, address))
    }
  }
  assert.deepEqual(countOf(outcomes), { ok: 60, rate_limit_exceeded: 540 })
})

test('a ban meets one address, and the others with the key keep calling', async t => {
  const service = await startTestService(t, PROXIED)
  const { key, keyId } = await exhausted(service, ['203.0.113.7', '203.0.113.8'])
  service.clock.advance(GRACE_MS)
  assert.equal(await hammer(service, key, () => '203.0.113.7'), 60)
  assert.equal(await codeOf(service, key, '203.0.113.8'), 'rate_limit_exceeded')
  service.clock.advanceSeconds(60)
  assert.equal(await codeOf(service, key, '203.0.113.8'), 'ok')
  assert.equal(await codeOf(service, key, '203.0.113.7'), 'api_key_banned')
  const [{ ban } = assert.fail('no ban'), ...others] = await listBans(service.store, { inForceAt: service.clock.now })
  assert.deepEqual([ban.keyId, ban.source, others], [keyId, '203.0.113.7', []])
})

test('an IPv6 loop that changes its address within a /64 is banned as one source', async t => {
  const service = await startTestService(t, PROXIED)
  const { key } = await exhausted(service, ['2001:db8:1:2::1'])
  service.clock.advance(GRACE_MS)
  assert.equal(await hammer(service, key, index => `2001:db8:1:2:${index + 2}::${index + 2}`), 60)
  assert.equal(await codeOf(service, key, '2001:db8:1:2:ffff:ffff:ffff:ffff'), 'api_key_banned')
  assert.equal(await codeOf(service, key, '2001:db8:1:3::1'), 'rate_limit_exceeded')
  const [banned] = await listBans(service.store, { inForceAt: service.clock.now })
  assert.equal(banned?.ban.source, '2001:db8:1:2::/64')
})

test('calls with X-Forwarded-For through a proxy that is not listed are logged once an hour, and are one source', async t => {
  const service = await startTestService(t, { backend: 'embedded' })
  const warnings = () => service.logs.filter(line => line.includes('not in PETSTORE_TRUSTED_PROXIES'))
  await call(service, { path: '/v1/pets' })
  assert.deepEqual(warnings(), [])
  const { key } = await exhausted(service, ['203.0.113.7'])
  service.clock.advance(GRACE_MS)
  assert.equal(await hammer(service, key, index => `198.51.100.${index}`), 60)
  assert.equal(warnings().length, 1)
  assert.equal(JSON.parse(warnings()[0] ?? '').address, '127.0.0.1')
  service.clock.advanceSeconds(3_600)
  for (let calls = 0; calls < 3; calls += 1) await codeOf(service, key, '203.0.113.7')
  assert.equal(warnings().length, 2)
  service.clock.advanceSeconds(-86_400)
  await codeOf(service, key, '203.0.113.7')
  assert.equal(warnings().length, 3, 'also after the clock has been set back')

  const proxied = await startTestService(t, { ...PROXIED, backend: 'embedded' })
  await exhausted(proxied, ['203.0.113.7'])
  assert.ok(!proxied.logs.some(line => line.includes('PETSTORE_TRUSTED_PROXIES')))
})

/** A caller on a plan of one call a minute, whose sources have just received their first 429. */
async function exhausted(service: TestService, sources: readonly string[]) {
  const caller = await service.createCaller({ limits: { perMinute: 1, perDay: 1_000 } })
  assert.equal(await codeOf(service, caller.key, sources[0] as string), 'ok')
  for (const source of sources) assert.equal(await codeOf(service, caller.key, source), 'rate_limit_exceeded')
  return caller
}

/** Calls until it is banned, and returns how often it called. */
async function hammer(service: TestService, key: string, addressOf: (index: number) => string): Promise<number> {
  let calls = 1
  while ((await codeOf(service, key, addressOf(calls))) !== 'api_key_banned') calls += 1
  return calls
}

async function codeOf(service: TestService, key: string, address: string): Promise<string> {
  const answer = await call(service, { path: '/v1/pets?limit=1', key, headers: { 'X-Forwarded-For': address } })
  return answer.status === 200 ? 'ok' : answer.json.code
}

function countOf(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
