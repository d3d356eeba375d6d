import assert from 'node:assert/strict'
import { connect as connectSocket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKey } from '../../src/domain/api-key.ts'
import { STOP_TIMEOUT_MS } from '../../src/http/listener.ts'
import { assertDescribed, assertRefused, type Call, call, connect, formatRequest, send } from '../support/call.ts'
import { eventually } from '../support/eventually.ts'
import { createPet, petJson } from '../support/pets.ts'
import { readRate } from '../support/rate.ts'
import { rawCall } from '../support/raw.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { portOf } from '../support/started.ts'
import { IS_TLS } from '../support/transport.ts'

// Contract, "Every response" (408), and what operators expect of a process: time-outs, an orderly stop, logs.

/** A handshake, and calls that are not slow, have to end within the time for the headers, also on a busy machine. */
const SHORT = IS_TLS
  ? { headersMs: 5_000, requestMs: 8_000, keepAliveMs: 5_000, checkEveryMs: 50 }
  : { headersMs: 1_500, requestMs: 2_500, keepAliveMs: 1_500, checkEveryMs: 50 }

test('slow clients', { concurrency: true }, async t => {
  const service = await startTestService(t, { timeouts: SHORT })
  const { key } = await service.createCaller()
  const request = formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: petJson() })
  const headLength = request.indexOf('\r\n\r\n') + 4

  await Promise.all([
    t.test('headers that do not come in time are 408 request_timeout', async () => {
      const connection = await connect(service)
      connection.write(request.subarray(0, 40))
      const answer = await connection.answer()
      assertRefused(answer, 'request_timeout')
      assert.equal(answer.header('connection'), 'close')
      await connection.ended()
    }),
    t.test('headers that come drop by drop are 408', async () => {
      const connection = await connect(service)
      await whileDripping(connection, request.subarray(0, headLength - 4), async () => {
        assertRefused(await connection.answer(), 'request_timeout')
        await connection.ended()
      })
    }),
    t.test('a body that does not come in time is 408', async () => {
      const connection = await connect(service)
      connection.write(request.subarray(0, headLength + 5))
      const answer = await connection.answer('POST')
      assertRefused(answer, 'request_timeout')
      await assertDescribed(request, answer)
      assert.equal(answer.header('connection'), 'close')
      await connection.ended()
    }),
    t.test('a body that comes drop by drop is 408', async () => {
      const connection = await connect(service)
      const long = formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: petJson().padEnd(10_000) })
      connection.write(long.subarray(0, -9_000))
      await whileDripping(connection, long.subarray(-9_000), async () => {
        assertRefused(await connection.answer('POST'), 'request_timeout')
        await connection.ended()
      })
    }),
    t.test('a second call that does not come in time is 408, after the answer to the first', async () => {
      const connection = await connect(service)
      connection.write(formatRequest(service, { path: '/v1/pets', key }))
      connection.write(request.subarray(0, 40))
      assert.equal((await connection.answer()).status, 200)
      assertRefused(await connection.answer(), 'request_timeout')
      await connection.ended()
    }),
    t.test('a client that never says anything does not hold its place', async () => {
      const connection = await connect(service)
      for (const answer of await connection.answersUntilEnd()) assertRefused(answer, 'request_timeout')
    }),
    t.test('a connection between two calls is closed after a while, without a word', async () => {
      const connection = await connect(service)
      connection.write(formatRequest(service, { path: '/v1/pets', key }))
      assert.equal((await connection.answer()).status, 200)
      await connection.ended()
    }),
    t.test('a client that is gone in the middle of its body leaves nothing behind', async () => {
      const connection = await connect(service)
      connection.write(request.subarray(0, headLength + 5))
      await sleep(20)
      connection.destroy()
    }),
  ])
  assert.equal((await call(service, { path: '/v1/pets', key })).text, '[]', 'none of them made an animal')
})

test('the time between two calls is a setting, on both listeners, and responses show it', async t => {
  const service = await startTestService(t, { config: { keepAliveSeconds: 1 }, timeouts: { checkEveryMs: 50 } })
  const { key } = await service.createCaller()
  const calls = [
    { path: '/v1/pets', key },
    { path: '/v1/nothing', key },
    { method: 'POST', path: '/v1/pets', key, body: petJson() },
    { path: '/docs' },
  ]
  for (const request of calls) {
    assert.equal((await call(service, request)).header('keep-alive'), 'timeout=1', JSON.stringify(request))
  }
  const [alive] = await rawCall(portOf(service.operatorUrl), 'GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  assert.equal(alive?.header('keep-alive'), 'timeout=1')

  const connection = await connect(service)
  connection.write(formatRequest(service, { path: '/v1/pets', key }))
  assert.equal((await connection.answer()).status, 200)
  const answeredAt = performance.now()
  await connection.ended()
  assert.ok(performance.now() - answeredAt >= 1_000)
})

test('a second call that stalls is 408, also if connections are kept for less time than a head may take', async t => {
  const headersMs = IS_TLS ? 5_000 : 2_000
  const service = await startTestService(t, { timeouts: { ...SHORT, headersMs, requestMs: 8_000, keepAliveMs: 100 } })
  const { key } = await service.createCaller()
  const connection = await connect(service)
  const request = formatRequest(service, { path: '/v1/pets', key })
  connection.write(request)
  assert.equal((await connection.answer()).status, 200)
  // Whether the head has begun is seen at a check.
  await sleep(3 * SHORT.checkEveryMs)
  connection.write(request.subarray(0, 40))
  assertRefused(await connection.answer(), 'request_timeout')
  await connection.ended()
})

test('a slow client does not delay the answers to others', async t => {
  const service = await startTestService(t)
  const { key } = await service.createCaller()
  for (let slow = 0; slow < 50; slow++) (await connect(service)).write('POST /v1/pets HTTP/1.1\r\nHost: x\r\n')
  assert.equal((await createPet(service, key)).status, 201)
})

test('an orderly stop', async t => {
  await t.test('lets the calls in flight finish, and closes their connections', async t => {
    const { service, key } = await started(t)
    const request = formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: petJson() })
    const connection = await connect(service)
    connection.write(request.subarray(0, -5))
    await eventuallyArrived(service, key)
    const closing = service.close()
    await refusesConnections(service)
    connection.write(request.subarray(-5))
    const answer = await connection.answer('POST')
    assert.equal(answer.status, 201)
    assert.equal(answer.header('connection'), 'close')
    await connection.ended()
    await closing
    const next = await service.startAnother()
    assert.equal((await call(next, { path: '/v1/pets', key })).json.length, 1)
  })
  await t.test('closes connections that wait for a next call', async t => {
    const { service, key } = await started(t)
    const connection = await connect(service)
    connection.write(formatRequest(service, { path: '/v1/pets', key }))
    assert.equal((await connection.answer()).status, 200)
    const startedAt = performance.now()
    await Promise.all([service.close(), connection.ended()])
    assert.ok(performance.now() - startedAt < STOP_TIMEOUT_MS)
  })
  await t.test('answers many creations in flight, each of them kept', async t => {
    const { service, key } = await started(t)
    const request = formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: petJson() })
    const connections = await Promise.all(Array.from({ length: 30 }, () => connect(service)))
    for (const connection of connections) connection.write(request.subarray(0, -5))
    await eventuallyArrived(service, key, connections.length)
    const closing = service.close()
    for (const connection of connections) connection.write(request.subarray(-5))
    const answers = await Promise.all(connections.map(connection => connection.answer('POST')))
    await closing
    const next = await service.startAnother()
    const { json } = await call(next, { path: '/v1/pets?limit=100', key })
    assert.deepEqual(
      json.map((pet: { id: number }) => pet.id),
      answers.map(answer => answer.json.id).toSorted((one, other) => one - other),
    )
  })
  await t.test('loses no count', async t => {
    const { service, key } = await started(t)
    const last = readRate(await call(service, { path: '/v1/pets', key }))
    await service.close()
    const next = await service.startAnother()
    const { windows } = readRate(await call(next, { path: '/v1/pets', key }))
    assert.equal(windows.day?.remaining, (last.windows.day?.remaining ?? 0) - 1)
    assert.equal(windows.minute?.remaining, (last.windows.minute?.remaining ?? 0) - 1)
  })
})

test('a service that counts alone does not start on a store that another one serves', async t => {
  const service = await startTestService(t)
  const other = await service.startAnother({ config: { redisUrls: [] } }).catch((error: Error) => error)
  assert.ok(other instanceof Error, 'the second one does not start')
  assert.match(other.message, /^[^\n]*(running|in use|serv)[^\n]*$/)
})

test('a port in use is reported in one clear line, and the store is closed', async t => {
  const service = await startTestService(t)
  const port = service.port
  const other = await startTestService(t, { config: { port } }).catch((error: Error) => error)
  assert.ok(other instanceof Error)
  assert.match(other.message, new RegExp(`${port}`))
  assert.doesNotMatch(other.message, /\n/)
})

const logged = await startTestService({ after })
// The ids of account and key differ, so that a line cannot show the one for the other.
await logged.issueKey((await logged.createCaller()).account)
const caller = await logged.createCaller()

test('each call is one line of JSON in the log, with request id, account, key id, status and duration', async t => {
  await createPet(logged, caller.key)
  const calls: [status: number, request: Call][] = [
    [200, { path: '/v1/pets', key: caller.key }],
    [200, { path: '/v1/pets/1', key: caller.key }],
    [404, { path: '/v1/pets/0', key: caller.key }],
    [201, { method: 'POST', path: '/v1/pets', key: caller.key, body: petJson() }],
    [400, { method: 'POST', path: '/v1/pets', key: caller.key, body: '{}' }],
  ]
  for (const [index, [status, request]] of calls.entries()) {
    await t.test(`${request.method ?? 'GET'} ${request.path} → ${status}`, async () => {
      const id = `logged-${index}`
      assert.equal((await call(logged, { ...request, headers: { 'X-Request-Id': id } })).status, status)
      const lines = await eventually(() => {
        const found = logged.logs
          .join('')
          .split('\n')
          .filter(line => line.includes(`"${id}"`))
        assert.equal(found.length, 1)
        return found
      })
      const line = JSON.parse(lines[0] ?? '')
      assert.equal(line.status, status)
      assert.equal(line.requestId, id)
      assert.equal(String(line.account), String(caller.account.id))
      assert.equal(String(line.key), String(caller.keyId))
      assert.ok(line.durationMs >= 0 && line.durationMs < 10_000)
    })
  }
})

test('a call with a traceparent header is logged with its trace', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const headers = { 'X-Request-Id': 'traced', Traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  await call(logged, { path: '/v1/pets', headers })
  await eventually(() => assert.equal(JSON.parse(lineWith(logged, '"traced"')).traceId, traceId))
})

test('refusals are logged with their code, including those of the parser', async () => {
  await call(logged, { path: '/v1/pets', headers: { 'X-Request-Id': 'no-key' } })
  await eventually(() => assert.match(lineWith(logged, '"no-key"'), /missing_api_key/))
  const answer = await send(logged, 'nonsense\r\n\r\n')
  await eventually(() => assert.match(lineWith(logged, answer.header('x-request-id') ?? ''), /malformed_request/))
})

test('no log line holds a key, not even a bad one, nor the body of a call', async () => {
  const other = generateKey('production')
  await call(logged, { path: '/v1/pets', key: other })
  await call(logged, { path: `/v1/pets?api_key=${caller.key}` })
  await call(logged, { method: 'POST', path: '/v1/pets', key: caller.key, body: petJson({ name: '"Secret name"' }) })
  const log = logged.logs.join('')
  assert.ok(!log.includes(caller.key) && !log.includes(other))
  assert.ok(!log.includes('Secret name'))
})

test('a log line stays one line with any input', async () => {
  await call(logged, { path: '/v1/pets?x=%0A%0Aforged', key: caller.key, headers: { 'X-Request-Id': 'one-line' } })
  await send(logged, 'GET /\n{"status":200}\r\n\r\n').catch(() => {})
  for (const line of logged.logs.join('').split('\n')) if (line !== '') JSON.parse(line)
})

test('a connection that is opened and closed is not a call', async () => {
  const socket = connectSocket(logged.port, '127.0.0.1')
  await new Promise(resolve => socket.once('connect', resolve))
  socket.destroy()
  assert.equal((await call(logged, { path: '/v1/pets', key: caller.key })).status, 200)
})

async function started(t: { after(fn: () => Promise<void>): void }): Promise<{ service: TestService; key: string }> {
  const service = await startTestService(t)
  const { key } = await service.createCaller()
  return { service, key }
}

/** Waits until the service has read the heads of these calls: each of them has then cost one. */
async function eventuallyArrived(service: TestService, key: string, calls = 1): Promise<void> {
  let probes = 0
  await eventually(async () => {
    const { limit, remaining } = readRate(await call(service, { path: '/v1/nothing', key }))
    probes++
    assert.equal(limit - remaining - probes, calls)
  })
}

async function refusesConnections(service: TestService): Promise<void> {
  await eventually(async () => {
    const socket = connectSocket(service.port, '127.0.0.1')
    await new Promise<void>((resolve, reject) => {
      socket.once('error', () => resolve())
      socket.once('connect', () => reject(new Error('still accepts connections')))
    }).finally(() => socket.destroy())
  })
}

/** Sends one byte every 20 ms, for as long as the work lasts. */
async function whileDripping(
  connection: { write(bytes: Uint8Array): void },
  bytes: Uint8Array,
  work: () => Promise<void>,
): Promise<void> {
  let index = 0
  const timer = setInterval(() => connection.write(bytes.subarray(index, ++index)), 20)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
}

function lineWith(service: TestService, text: string): string {
  return (
    service.logs
      .join('')
      .split('\n')
      .find(line => line.includes(text)) ?? ''
  )
}
