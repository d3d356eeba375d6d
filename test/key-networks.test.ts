import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Call, call, formatRequest } from './support/call.ts'
import { rawCall } from './support/raw.ts'
import { startTestService, type TestService } from './support/service.ts'

// Keys that are bound to networks, behind a load balancer that names the client in the first bytes of a connection.

test('behind a PROXY header, a key works only from its networks', async t => {
  const service = await startTestService(t, {
    config: { proxyProtocol: true, trustedProxies: ['127.0.0.1', '10.0.0.1'] },
  })
  const { account } = await service.createCaller()
  const { key } = await service.issueKey(account, { networks: ['192.0.2.0/24', '2001:db8::/32'] })
  const clients: [header: string, forwardedFor: string | undefined, status: 200 | 401][] = [
    ['TCP4 192.0.2.7 127.0.0.1 4711 80', undefined, 200],
    ['TCP4 198.51.100.7 127.0.0.1 4711 80', undefined, 401],
    ['TCP6 2001:db8::7 ::1 4711 80', undefined, 200],
    ['TCP6 2001:db9::7 ::1 4711 80', undefined, 401],
    ['TCP6 ::ffff:192.0.2.7 ::1 4711 80', undefined, 200],
    ['TCP4 198.51.100.7 127.0.0.1 4711 80', '192.0.2.7', 401],
    ['TCP4 10.0.0.1 127.0.0.1 4711 80', '192.0.2.7', 200],
    ['UNKNOWN', undefined, 401],
    ['UNKNOWN', '192.0.2.7', 401],
  ]
  for (const [header, forwardedFor, status] of clients) {
    const headers = forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor }
    const answer = await callBehind(service, header, { path: '/v1/pets', key, headers })
    assert.equal(answer?.status, status, `${header}, ${forwardedFor}`)
  }
})

test('a key without networks works from an unknown address, too', async t => {
  const service = await startTestService(t, { config: { proxyProtocol: true, trustedProxies: ['127.0.0.1'] } })
  const { key } = await service.createCaller()
  assert.equal((await callBehind(service, 'UNKNOWN', { path: '/v1/pets', key }))?.status, 200)
})

test('a stolen key costs its account nothing when it is tried from elsewhere', async t => {
  const service = await startTestService(t, { config: { anonymousPerMinute: 3 } })
  const { account } = await service.createCaller({ limits: { perMinute: 2 } })
  const { key: free } = await service.issueKey(account)
  // Once the address has used up its calls, only a key that is in use works from there.
  await call(service, { path: '/v1/pets', key: free })
  const { key, id } = await service.issueKey(account, { networks: ['192.0.2.0/24'] })
  const statuses: number[] = []
  for (let count = 0; count < 5; count += 1) statuses.push((await call(service, { path: '/v1/pets', key })).status)
  assert.deepEqual(statuses, [401, 401, 401, 429, 429])
  assert.deepEqual(await service.store.listBans({ keyId: id }), [], 'the refusals are those of the address')
  const answer = await call(service, { path: '/v1/pets', key: free })
  assert.deepEqual([answer.status, answer.header('x-ratelimit-remaining')], [200, '0'])
})

/** Makes a call behind a PROXY header. */
async function callBehind(service: TestService, header: string, request: Call) {
  const bytes = Buffer.concat([Buffer.from(`PROXY ${header}\r\n`), formatRequest(service, request)])
  const [answer] = await rawCall(service.port, bytes, { methods: ['GET'] })
  return answer
}
