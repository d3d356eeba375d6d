import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownBuild } from '../../src/app/build.ts'
import { StoreUnavailable } from '../../src/domain/errors.ts'
import { generateToken } from '../../src/domain/operator.ts'
import { Listener } from '../../src/http/listener.ts'
import { connect, formatRequest } from '../support/call.ts'
import { eventually } from '../support/eventually.ts'
import { inTime } from '../support/in-time.ts'
import { assertRefused, type OperatorService, startOperatorService } from '../support/operator.ts'
import { petJson } from '../support/pets.ts'
import { lockWrites } from '../support/write-lock.ts'

// Liveness and readiness of the process, for machines, without a token.

const service = await startOperatorService({ after })

test('a service that can serve is live and ready, without a token', async () => {
  const { version, commit } = await ownBuild()
  for (const [target, expected] of [
    ['/livez', { status: 'live', version, commit }],
    ['/readyz', { status: 'ready' }],
  ] as const) {
    for (const token of [null, service.staff.token, 'nonsense']) {
      const answer = await service.ask('GET', target, { token })
      assert.deepEqual([answer.status, answer.value], [200, expected])
    }
  }
})

test('a service whose store cannot be written is live but not ready, says why, and recovers', async t => {
  const another = await startOperatorService(t, { embedded: { inThreads: true } })
  const release = await lockWrites(another.config.dataFolder)
  // The store may take two seconds to respond to a probe, and five to a write.
  const refused = await inTime(3_000, 'the probe', another.ask('GET', '/readyz', { token: null }))
  assertRefused(refused, 'service_unavailable', /^Not ready: .*store/)
  assert.equal((await another.ask('GET', '/livez', { token: null })).status, 200)
  await release()
  await eventually(async () => assert.equal((await another.ask('GET', '/readyz')).status, 200))
})

test('operators and the log see why a service is not ready; others only which check failed', async t => {
  const another = await startOperatorService(t)
  assert.equal((await another.ask('GET', '/readyz')).status, 200)
  await another.call('POST', '/sources', { body: { name: 'shelter' } })
  const feed = await another.call('POST', '/tokens', { body: { name: 'Feed', source: 'shelter' } })
  const detail = 'connect ECONNREFUSED db.internal:5432, user petstore, /var/lib/petstore'
  another.store.check = () => Promise.reject(new StoreUnavailable('The store fails.', { cause: new Error(detail) }))
  await sleep(1_100)
  for (const token of [null, 'nonsense', generateToken('production'), feed.value.token]) {
    const answer = await another.ask('GET', '/readyz', { token })
    assertRefused(answer, 'service_unavailable', 'Not ready: the store cannot be used')
  }
  const seen = await another.ask('GET', '/readyz', { token: another.staff.token })
  assertRefused(seen, 'service_unavailable', `Not ready: The store fails. (${detail})`)
  assert.ok(another.logs.some(line => line.includes('readyz') && line.includes(detail)))
})

test('many probes at once cost the store one write', async t => {
  const another = await startOperatorService(t)
  const commits = async () => {
    const { text } = await another.ask('GET', '/metrics')
    return Number(/^petstore_store_commit_writes_sum (\d+)$/m.exec(text)?.[1])
  }
  const before = await commits()
  await Promise.all(Array.from({ length: 20 }, () => another.ask('GET', '/readyz')))
  const after = await commits()
  assert.ok(after - before >= 1 && after - before <= 3, `${after - before} writes`)
})

test('a stopping service is not ready, but still completes the calls in progress', async t => {
  const another = await startOperatorService(t)
  const held = await holdPublicCall(another)
  const closed = another.close()
  assertRefused(await another.ask('GET', '/readyz'), 'service_unavailable', 'Not ready: The service is stopping.')
  assert.equal((await another.ask('GET', '/livez')).status, 200)
  assert.equal((await held.finish()).status, 201)
  await closed
})

test('a stopping service cuts off the calls on both listeners after one time limit', async t => {
  const another = await startOperatorService(t)
  await holdPublicCall(another)
  await another.hold('POST', '/pets', { body: petJson() })
  const cutOff = new AbortController()
  const timeLimit = t.mock.method(AbortSignal, 'timeout', () => cutOff.signal)
  const closed = another.close()
  assert.equal((await another.ask('GET', '/readyz')).status, 503)
  cutOff.abort()
  await closed
  assert.deepEqual(
    timeLimit.mock.calls.map(({ arguments: given }) => given),
    [[10_000]],
  )
})

test('a listener that fails to close leaves neither the other nor the store open', async t => {
  const ends: (() => unknown)[] = []
  const another = await startOperatorService({ after: end => ends.push(end) })
  const { close } = Listener.prototype
  const failing = t.mock.method(Listener.prototype, 'close', async function (this: Listener, cutOff: AbortSignal) {
    await close.call(this, cutOff)
    throw new Error('cannot be closed')
  })
  for (const end of ends) await assert.rejects(async () => end())
  assert.equal(failing.mock.callCount(), 2)
  await assert.rejects(fetch(`${another.operatorUrl}/livez`), { message: 'fetch failed' })
  await assert.rejects(another.store.listTokens())
})

test('health can only be read', async () => {
  for (const target of ['/livez', '/readyz', '/metrics']) {
    assertRefused(await service.ask('POST', target), 'method_not_allowed', 'This path allows GET, HEAD, OPTIONS.')
    assertRefused(await service.ask('GET', `${target}/`), 'route_not_found')
  }
})

/** Sends a creation but for its last byte, and waits until the service has read the rest. */
async function holdPublicCall(to: OperatorService) {
  const { key } = await to.createCaller()
  const connection = await connect(to)
  const headers = { Expect: '100-continue' }
  const bytes = formatRequest(to, { method: 'POST', path: '/v1/pets', key, headers, body: petJson() })
  connection.write(bytes.subarray(0, -1))
  assert.equal((await connection.answer()).status, 100)
  return {
    finish() {
      connection.write(bytes.subarray(-1))
      return connection.answer('POST')
    },
  }
}
