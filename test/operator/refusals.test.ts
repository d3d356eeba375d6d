import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GRACE_MS } from '../../src/domain/ban.ts'
import { type Call, call as callPublic } from '../support/call.ts'
import { assertRefused, type OperatorService, startOperatorService } from '../support/operator.ts'
import { petJson } from '../support/pets.ts'
import { parseScrape, sumOf } from '../support/scrape.ts'

const FAILED_SAVES = 'petstore_limiter_errors_total'

// The last refused and failed calls of keys and accounts: what a partner's program did wrong.

test('every call with a known key that was answered with an error is listed, newest first, and no other', async t => {
  const service = await startOperatorService(t)
  const { key, keyId, account } = await service.createCaller({ keyName: 'till' })
  const reader = await service.issueKey(account, { scope: 'read' })
  const elsewhere = await service.issueKey(account, { networks: ['192.0.2.0/24'] })
  const revoked = await service.issueKey(account)
  await service.call('POST', `/keys/${revoked.id}/revoke`)
  const calls: [by: { id: bigint; key: string }, call: Call, status: number, code: string][] = [
    [{ id: keyId, key }, { path: '/v1/pets?limit=0&status=sold' }, 400, 'invalid_parameter'],
    [{ id: keyId, key }, { path: '/v1/pets/4711' }, 404, 'pet_not_found'],
    [{ id: keyId, key }, { path: '/v1/animals' }, 404, 'route_not_found'],
    [{ id: keyId, key }, { method: 'DELETE', path: '/v1/pets' }, 405, 'method_not_allowed'],
    [{ id: keyId, key }, { method: 'POST', path: '/v1/pets', body: '{' }, 400, 'invalid_json'],
    [reader, { method: 'POST', path: '/v1/pets', body: petJson() }, 403, 'insufficient_scope'],
    [elsewhere, { path: '/v1/pets' }, 401, 'invalid_api_key'],
    [revoked, { path: '/v1/pets' }, 401, 'invalid_api_key'],
  ]
  const expected = []
  for (const [by, call, status, code] of calls) {
    service.clock.advance(1)
    await callPublic(service, { path: '/v1/pets', key })
    const answer = await callPublic(service, { ...call, key: by.key, headers: { 'User-Agent': 'till/3' } })
    assert.equal(answer.status, status)
    const { method = 'GET', path } = call
    const keyName = by.id === keyId ? 'till' : null
    const calledAt = new Date(service.clock.now).toISOString()
    const ofKey = { calledAt, keyId: by.id, keyName, calledFrom: '127.0.0.1', userAgent: 'till/3' }
    expected.unshift({ ...ofKey, method, path, status: BigInt(status), code })
  }
  await callPublic(service, { path: '/v1/pets' })
  await callPublic(service, { path: '/v1/pets', key: `petstore_live_${'x'.repeat(36)}` })

  const again = await afterRestart(service)
  assert.deepEqual((await again.call('GET', `/accounts/${account.id}/refusals`)).value, expected)
  for (const { id } of [{ id: keyId }, reader, elsewhere, revoked]) {
    const ofKey = await again.call('GET', `/keys/${id}/refusals`, { token: again.staff.token })
    assert.deepEqual(
      ofKey.value,
      expected.filter(one => one.keyId === id),
    )
  }
  const other = await again.createCaller()
  assert.deepEqual((await again.call('GET', `/keys/${other.keyId}/refusals`)).value, [])
  assert.deepEqual((await again.call('GET', `/accounts/${other.account.id}/refusals`)).value, [])
  assertRefused(await again.call('GET', '/keys/4711/refusals'), 'not_found')
  assertRefused(await again.call('GET', '/accounts/4711/refusals'), 'not_found')
})

test('of calls over the limit and of a banned key, the newest 100 are listed', async t => {
  const service = await startOperatorService(t, {
    config: { ban: { after: 1, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 } },
  })
  const { key, keyId } = await service.createCaller({ plan: 'enterprise', limits: { perMinute: 1, perDay: 1_000 } })
  const list = () => callPublic(service, { path: '/v1/pets', key })
  assert.equal((await list()).status, 200)
  for (let call = 0; call < 150; call += 1) await list()
  service.clock.advance(GRACE_MS)
  await list()
  assert.equal((await list()).json.code, 'api_key_banned')
  const again = await afterRestart(service)
  const { value } = await again.call('GET', `/keys/${keyId}/refusals`)
  assert.deepEqual([value.length, value[0].code, value[99].code], [100, 'api_key_banned', 'rate_limit_exceeded'])
})

test('calls are answered while refused ones cannot be stored, and these are stored afterwards', async t => {
  const service = await startOperatorService(t, { embedded: { inThreads: true, busyTimeoutMs: 100 } })
  const { key, keyId } = await service.createCaller()
  const logged = (what: string) => service.logs.filter(line => line.includes(`failed to save the ${what}`)).length
  const failures = async () => sumOf(parseScrape((await service.ask('GET', '/metrics')).text), FAILED_SAVES) ?? 0
  const unlock = await service.backend.lockWrites()
  try {
    const creation = callPublic(service, { method: 'POST', path: '/v1/pets', key, body: petJson() })
    assert.equal((await creation).status, 503)
    while (logged('refused calls') === 0 || (await failures()) < 2)
      assert.equal((await callPublic(service, { path: '/v1/pets/4711', key })).status, 404)
    assert.equal((await callPublic(service, { path: '/v1/pets', key })).status, 200)
  } finally {
    await unlock()
  }
  assert.equal(logged('call counts'), 1, 'although several attempts have failed')
  const again = await afterRestart(service)
  const { value } = await again.call('GET', `/keys/${keyId}/refusals`)
  const codes = new Set(value.map(({ code }: { code: string }) => code))
  assert.ok(value.length > 0 && codes.has('pet_not_found'))
})

test('secrets in a path, a query or a user agent are withheld, and long ones are cut', async t => {
  const service = await startOperatorService(t)
  const { key, keyId } = await service.createCaller()
  const long = 'x.'.repeat(2_000)
  for (const [path, userAgent] of [
    [`/v1/pets/4711?api_key=${key}&limit=1`, `curl ${key}`],
    [`/v1/pets/${key.replace('_', '%5F')}`, key.slice(-36)],
    [`/v1/animals?q=${long}`, long],
  ] as const) {
    await callPublic(service, { path, key, headers: { 'User-Agent': userAgent } })
    service.clock.advance(1)
  }
  const again = await afterRestart(service)
  const { value } = await again.call('GET', `/keys/${keyId}/refusals`)
  const shown = value.map(({ path, userAgent }: { path: string; userAgent: string }) => [path, userAgent])
  assert.deepEqual(shown.slice(1), [
    ['/v1/pets/(withheld)', '(withheld)'],
    ['/v1/pets/4711?api_key=(withheld)', 'curl (withheld)'],
  ])
  const [[path, userAgent]] = shown
  assert.deepEqual([path, userAgent], [`${`/v1/animals?q=${long}`.slice(0, 500)}…`, `${long.slice(0, 200)}…`])
})

/** Stops the service in order, and starts another one on its store. */
async function afterRestart(service: OperatorService): Promise<OperatorService> {
  await service.close()
  return service.startAnother()
}
