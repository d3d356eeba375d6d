import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { call, connect, formatRequest } from '../support/call.ts'
import { eventually } from '../support/eventually.ts'
import { petJson } from '../support/pets.ts'
import { readRate } from '../support/rate.ts'
import { skip } from '../support/servers/needs.ts'
import { noPostgres } from '../support/servers/postgres.ts'
import { noRedis } from '../support/servers/redis.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { openSocket, resetSocket } from '../support/transport.ts'

// Contract, "Every response", where a call waits for PostgreSQL and Redis before its body is read.

test('a large body that waits for the gates, with a request behind it in its last packet, does not stop the connection', async t => {
  const service = await startScaled(t)
  if (!service) return
  const { key } = await service.createCaller()
  const connection = await connect(service)
  const list = formatRequest(service, { path: '/v1/pets', key })
  const post = formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: ' '.repeat(100_000) })
  connection.write(Buffer.concat([post, list]))
  assert.equal((await connection.answer()).status, 413)
  for (let count = 0; count < 3; count++) {
    assert.equal((await connection.answer()).status, 200)
    connection.write(list)
  }
  connection.destroy()
})

test('every call that the limits count is logged, whenever its client disconnects', async t => {
  const service = await startScaled(t)
  if (!service) return
  const { key, account } = await service.createCaller()
  const request = formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: petJson() })
  const headLength = request.indexOf('\r\n\r\n') + 4
  await call(service, { path: '/v1/pets', key })
  for (let round = 0; round < 60; round++) {
    const socket = await openSocket(service.port)
    socket.on('error', () => {})
    socket.write(request.subarray(0, round % 2 === 0 ? headLength + 3 : request.length))
    // At any moment of the look-up, the count, and the reading of the body.
    for (let turn = round % 12; turn > 0; turn--) await new Promise(setImmediate)
    resetSocket(socket)
  }
  await eventually(async () => {
    const { limit, remaining } = readRate(await call(service, { path: '/v1/pets', key }))
    const calls = service.logs.join('').split('\n').filter(isCallOf(account.id))
    assert.equal(calls.length, limit - remaining)
  }, 200)
})

async function startScaled(t: TestContext): Promise<TestService | undefined> {
  const missing = noPostgres ?? noRedis
  if (missing) return void skip(t, missing)
  return startTestService(t, { backend: 'scaled' })
}

function isCallOf(account: bigint): (line: string) => boolean {
  return line => line.includes('"msg":"call"') && line.includes(`"account":${account},`)
}
