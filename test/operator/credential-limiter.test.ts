import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateToken } from '../../src/domain/operator.ts'
import { generateSession } from '../../src/domain/session.ts'
import type { Store } from '../../src/domain/store.ts'
import { parseAddress } from '../../src/http/address.ts'
import type { Call } from '../../src/http/call.ts'
import { MemoryAddressLimiter } from '../../src/memory/address-limiter.ts'
import { CredentialLimiter } from '../../src/operator/credential-limiter.ts'
import { assertRefused, type CallOptions, type OperatorService, startOperatorService } from '../support/operator.ts'
import { only } from '../support/rate.ts'

// Callers may only try a few wrong credentials, which cost the store few lookups and are written to the audit log.

const PROXY = { config: { trustedProxies: ['127.0.0.1'] } }

test('an address may try ten wrong tokens a minute; then none is looked up', async t => {
  const service = await startOperatorService(t)
  const lookUps = countLookUps(service)
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? useToken(service) : signIn(service))),
  )
  const codes = Map.groupBy(answers, ({ code }) => code)
  assert.deepEqual([codes.get('invalid_token')?.length, codes.get('rate_limit_exceeded')?.length], [10, 90])
  assert.ok(lookUps.count <= 10, `${lookUps.count} look-ups`)
  for (const answer of codes.get('rate_limit_exceeded') ?? []) {
    assertRefused(answer, 'rate_limit_exceeded')
    assert.equal(only(answer, 'Retry-After'), '60')
  }
  service.clock.advance(59_999)
  const last = await useToken(service)
  assert.deepEqual([last.code, only(last, 'Retry-After')], ['rate_limit_exceeded', '1'])
  service.clock.advance(1)
  assertRefused(await useToken(service), 'invalid_token')
})

test('a token or a session that has worked keeps working, whatever others try from the same address', async t => {
  const service = await startOperatorService(t)
  const { cookie } = await service.signIn(service.staff.token)
  assert.equal((await service.call('GET', '/session')).status, 200)
  await spend(service)
  assertRefused(await useToken(service), 'rate_limit_exceeded')
  assert.equal((await service.call('GET', '/session')).status, 200)
  assert.equal((await service.call('GET', '/session', { cookie })).status, 200)
  assert.equal((await service.signIn(service.staff.token)).answer.status, 201)
  const unknown = await service.createToken('staff')
  assertRefused(await service.call('GET', '/session', { token: unknown.token }), 'rate_limit_exceeded')
})

test('a session that has worked beside an older cookie keeps working alone, whatever others try', async t => {
  const first = await startOperatorService(t)
  const { cookie } = await first.signIn(first.staff.token)
  // A service that has just started has seen no session.
  await first.close()
  const service = await first.startAnother()
  const older = () => `petstore_session_live=${generateSession()}`
  assert.equal((await service.call('GET', '/session', { cookie: `${older()}; ${cookie}` })).status, 200)
  for (let count = 0; count < 10; count += 1) await service.call('GET', '/session', { cookie: older() })
  assertRefused(await service.call('GET', '/session', { cookie: older() }), 'rate_limit_exceeded')
  assert.equal((await service.call('GET', '/session', { cookie })).status, 200)
  assert.equal(
    (await service.call('GET', '/session', { cookie: `${older()}; ${cookie}` })).status,
    200,
    'or beside another',
  )
})

test('a token that has worked and was revoked is tried as often as any wrong one', async t => {
  const service = await startOperatorService(t)
  const { token, id } = await service.createToken('staff')
  assert.equal((await service.call('GET', '/session', { token })).status, 200)
  assert.equal((await service.call('POST', `/tokens/${id}/revoke`)).status, 200)
  for (let count = 0; count < 10; count += 1) {
    assertRefused(await service.call('GET', '/session', { token }), 'invalid_token')
  }
  assertRefused(await service.call('GET', '/session', { token }), 'rate_limit_exceeded')
})

test('many calls at once with the same new token are one attempt', async t => {
  const service = await startOperatorService(t)
  const { token } = await service.createToken('staff')
  const answers = await Promise.all(Array.from({ length: 40 }, () => service.call('GET', '/session', { token })))
  assert.ok(answers.every(({ status }) => status === 200))
})

test('a browser whose session has ended can sign in, however often it called in between', async t => {
  const service = await startOperatorService(t)
  const cookie = `petstore_session_live=${generateSession()}`
  for (let count = 0; count < 10; count += 1) {
    assertRefused(await service.call('GET', '/session', { cookie }), 'invalid_token')
  }
  assertRefused(await service.call('GET', '/session', { cookie }), 'rate_limit_exceeded')
  assert.equal((await service.signIn(service.staff.token)).answer.status, 201)
})

test('addresses are counted separately, and IPv6 addresses by /64', async t => {
  const service = await startOperatorService(t, PROXY)
  const from = (address: string): CallOptions => ({ headers: { 'X-Forwarded-For': address } })
  await spend(service, from('192.0.2.7'))
  assertRefused(await useToken(service, from('192.0.2.7')), 'rate_limit_exceeded')
  assertRefused(await useToken(service, from('192.0.2.8')), 'invalid_token')
  await spend(service, from('2001:db8::1'))
  assertRefused(await useToken(service, from('2001:db8::ffff:2')), 'rate_limit_exceeded')
  assertRefused(await useToken(service, from('2001:db8:0:1::1')), 'invalid_token')
})

test('failures are in the audit log, a row for each address, and in the metrics', async t => {
  const service = await startOperatorService(t, PROXY)
  await Promise.all(
    Array.from({ length: 30 }, () => useToken(service, { headers: { 'X-Forwarded-For': '192.0.2.7' } })),
  )
  await useToken(service, { headers: { 'X-Forwarded-For': '192.0.2.8' } })
  const { text } = await service.ask('GET', '/metrics')
  assert.match(text, /^petstore_operator_credentials_refused_total\{why="wrong"\} 11$/m)
  assert.match(text, /^petstore_operator_credentials_refused_total\{why="not_tried"\} 20$/m)
  assert.deepEqual(await writtenDown(service), [
    ['192.0.2.7', { wrong: 10, notTried: 20 }],
    ['192.0.2.8', { wrong: 1 }],
  ])
})

test('an attack from many addresses adds a limited number of rows', async t => {
  const service = await startOperatorService(t, PROXY)
  for (const index of [...Array(150).keys(), 0]) {
    await useToken(service, { headers: { 'X-Forwarded-For': `198.51.100.${index}` } })
  }
  const rows = await writtenDown(service)
  assert.equal(rows.length, 100)
  assert.deepEqual(rows[0], ['198.51.100.0', { wrong: 2 }])
  assert.deepEqual(rows.find(([origin]) => origin === 'other addresses')?.[1], { wrong: 51 })
})

test('while the store is slow, no more attempts are looked up than may fail', async () => {
  const credentialLimiter = openCredentialLimiter()
  const slow = Promise.withResolvers<void>()
  let lookUps = 0
  const attempt = (secret: string, found?: string) =>
    credentialLimiter.attempt(callFrom('192.0.2.7'), 'token', secret, async () => {
      lookUps += 1
      await slow.promise
      return found
    })
  const same = Array.from({ length: 40 }, () => attempt('good', 'Anna'))
  const others = Array.from({ length: 40 }, (_, index) => attempt(`wrong ${index}`))
  const outcomes = Promise.allSettled(others)
  slow.resolve()
  assert.deepEqual(new Set(await Promise.all(same)), new Set(['Anna']))
  assert.equal((await outcomes).filter(({ status }) => status === 'rejected').length, 31)
  assert.equal(lookUps, 10)
  assert.equal(await attempt('good', 'Anna'), 'Anna')
  await attempt('wrong')
  await assert.rejects(attempt('wrong'), { code: 'rate_limit_exceeded' })
})

test('rows that could not be written are written the next time', async () => {
  const written: string[] = []
  let isDown = true
  const credentialLimiter = openCredentialLimiter(async ({ origin, details }) => {
    if (isDown && written.length === 1) throw new Error('down')
    written.push(`${origin} ${details.wrong}`)
  })
  const fail = (from: string) => credentialLimiter.attempt(callFrom(from), 'token', 'x', async () => undefined)
  for (const from of ['192.0.2.7', '192.0.2.8', '192.0.2.8', '192.0.2.9']) await fail(from)
  await assert.rejects(credentialLimiter.save(0), { message: 'down' })
  isDown = false
  await fail('192.0.2.8')
  await credentialLimiter.save(0)
  await credentialLimiter.save(0)
  assert.deepEqual(written, ['192.0.2.7 1', '192.0.2.8 3', '192.0.2.9 1'])
})

function openCredentialLimiter(recordAudit: Store['recordAudit'] = async () => {}): CredentialLimiter {
  return new CredentialLimiter({
    store: { recordAudit },
    failures: new MemoryAddressLimiter(10),
    signIns: new MemoryAddressLimiter(30),
    clientAddress: ({ headers }) => parseAddress(String(headers.from)),
    onRefused() {},
  })
}

function callFrom(from: string): Call {
  return { request: { headers: { from } }, now: 0 } as unknown as Call
}

test('a token can begin a limited number of sessions a minute', async t => {
  const service = await startOperatorService(t)
  const body = { token: service.admin.token }
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => service.call('POST', '/session', { token: null, body })),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 30)
  const refused = answers.filter(({ status }) => status !== 201)
  for (const answer of refused) assertRefused(answer, 'rate_limit_exceeded', /signed in too often; retry in 60 s/)
  assert.equal((await service.signIn(service.staff.token)).answer.status, 201, 'another token may')
  service.clock.advance(60_000)
  assert.equal((await service.signIn(service.admin.token)).answer.status, 201)
})

function useToken(service: OperatorService, options: CallOptions = {}) {
  return service.call('GET', '/session', { token: generateToken('production'), ...options })
}

function signIn(service: OperatorService) {
  return service.call('POST', '/session', { token: null, body: { token: generateToken('production') } })
}

async function spend(service: OperatorService, options: CallOptions = {}): Promise<void> {
  for (let count = 0; count < 10; count += 1) assertRefused(await useToken(service, options), 'invalid_token')
}

/** Counts the service's token lookups in the store from now on. */
function countLookUps({ store }: OperatorService): { count: number } {
  const lookUps = { count: 0 }
  const find = store.findTokenByHash.bind(store)
  store.findTokenByHash = hash => {
    lookUps.count += 1
    return find(hash)
  }
  return lookUps
}

/** The refused sign-ins in the audit log once the service has ended. */
async function writtenDown(service: OperatorService) {
  await service.close()
  const entries = await (await service.openStore()).listAudit({ action: 'sign-in.refused', limit: 1_000 })
  assert.ok(entries.every(({ actor, accountId, subjectId }) => actor === 'nobody' && !accountId && !subjectId))
  return entries
    .map(({ origin, details }) => [origin, details] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
}
