import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './support/call.ts'
import { type Serving, startServe } from './support/command-line.ts'
import { until } from './support/eventually.ts'
import { inTime } from './support/in-time.ts'
import { Connection } from './support/raw.ts'
import { startTestService } from './support/service.ts'

test('a stopping service keeps serving, and each response closes its connection; a second signal ends it', async t => {
  const service = await startServe(t, { PETSTORE_STOP_DELAY: '300' })
  const key = await service.store.issueKey()
  const request = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
  const [kept, early] = await Promise.all([1, 2].map(() => Connection.open(portOf(service))))
  assert.ok(kept && early)
  kept.write(request)
  const first = await kept.answer()
  assert.deepEqual([first.status, first.header('connection')], [200, 'keep-alive'])
  early.write(request.slice(0, 30))

  service.child.kill('SIGTERM')
  await until(async () => (await readiness(service)) === '503 Not ready: The service is stopping.')
  assert.equal((await fetch(`${service.operatorUrl}/livez`)).status, 200, 'nobody has a reason to kill it')

  const late = await Connection.open(portOf(service))
  late.write(request)
  kept.write(request)
  early.write(request.slice(30))
  for (const connection of [kept, early, late]) {
    const answer = await connection.answer()
    assert.deepEqual([answer.status, answer.header('connection')], [200, 'close'])
    await connection.ended()
  }
  const operators = await fetch(`${service.operatorUrl}/livez`)
  assert.equal(operators.headers.get('connection'), 'close')
  assert.equal(service.child.exitCode, null)
  // Until it no longer counts as the same one.
  await sleep(300)
  assert.equal((await service.stop('SIGINT')).code, 1)
})

test('a stopping service ends after the configured time, and with it connections that wait for a call', async t => {
  const service = await startServe(t, { PETSTORE_STOP_DELAY: '1' })
  const idle = await Connection.open(portOf(service))
  t.after(() => idle.destroy())
  idle.write('GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.equal((await idle.answer()).header('connection'), 'keep-alive')
  const toldAt = performance.now()
  const stopped = service.stop('SIGTERM')
  await idle.ended()
  assert.equal((await stopped).code, 0)
  assert.ok(performance.now() - toldAt >= 1_000)
  const messages = service.stdout.split('\n').flatMap(line => /"msg":"(stop\w+)"/.exec(line)?.[1] ?? [])
  assert.deepEqual(messages, ['stopping', 'stopped'])
})

test('a stop waits for a store that is locked with all that is left to save, not with each part in turn', async t => {
  const busyTimeoutMs = 2_000
  // Its stop fails, as it should: the end of this test must not wait for it.
  const options = { backend: 'embedded', embedded: { inThreads: true, busyTimeoutMs } } as const
  const service = await startTestService({ after() {} }, options)
  t.after(() => service.backend.remove())
  const { key } = await service.createCaller()
  const unlock = await service.backend.lockWrites()
  assert.equal((await call(service, { path: '/v1/pets/4711', key })).status, 404)
  assert.equal((await fetch(`${service.operatorUrl}/admin/v1/pets`, { headers: BAD_TOKEN })).status, 401)
  // A commit that has begun, those of the periodic saves, and the last ones. In turn, they take six times as long.
  await inTime(3.5 * busyTimeoutMs, 'the stop', assert.rejects(service.close()))
  await unlock()
})

const BAD_TOKEN = { authorization: 'Bearer petstore_op_wrong' }

async function readiness({ operatorUrl }: Serving): Promise<string> {
  const answer = await fetch(`${operatorUrl}/readyz`)
  const { message } = (await answer.json()) as { message?: string }
  return `${answer.status} ${message}`
}

function portOf({ url }: Serving): number {
  return Number(new URL(url).port)
}
