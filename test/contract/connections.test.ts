import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, test } from 'node:test'
import { assertRefused, call, connect, formatRequest, sendUntilEnd } from '../support/call.ts'
import { eventually } from '../support/eventually.ts'
import { createPet, petJson } from '../support/pets.ts'
import { firstWord } from '../support/raw.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { openSocket, resetSocket } from '../support/transport.ts'

// Contract, "Every response": what a client does to its connection never ends the process, and never leaves a complete request unanswered.

const service = await startTestService({ after }, { config: { anonymousPerMinute: 100_000 } })
const { key } = await service.createCaller()

for (const listener of ['public', 'operator'] as const) {
  const port = listener === 'public' ? service.port : Number(new URL(service.operatorUrl).port)
  const get = `GET ${listener === 'public' ? '/v1/pets' : '/livez'} HTTP/1.1\r\nHost: localhost\r\n\r\n`

  test(`a client that resets its connection at the first byte of an answer ends nothing but that: ${listener}`, async () => {
    const requests = [
      'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
      'CONNECT x:1 HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\nx',
      `${get}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`,
      'nonsense\r\n\r\n',
      get.replace('\r\n\r\n', '\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
      get,
    ]
    for (const request of requests) {
      for (let round = 0; round < 5; round++) await resetAtFirstByte(port, request)
    }
    assert.equal((await call(service, { path: '/v1/pets', key })).status, 200)
  })

  test(`CONNECT is refused as 501, and the connection ends: ${listener}`, async () => {
    const received = await sendAll(port, 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.match(received, /^HTTP\/1\.1 501 Not Implemented\r\n/)
    assert.match(received, /\r\nConnection: close\r\n/)
    assert.match(received, /"code":"method_not_supported"/)
  })

  test(`HTTP/1.0 with Transfer-Encoding is refused as 400, and the connection ends: ${listener}`, async () => {
    const head = 'POST /v1/pets HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n'
    const received = await sendAll(port, `${head}\r\n0\r\n\r\nGET /v1/pets HTTP/1.0\r\n\r\n`)
    assert.match(received, /^HTTP\/1\.1 400 Bad Request\r\n/)
    assert.match(received, /"code":"malformed_request"/)
    assert.equal(received.match(/^HTTP\/1\.1 /gm)?.length, 1, 'what follows is not a request')
  })

  test(`a client that half-closes its connection after a request is answered: ${listener}`, async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendAll(port, get)))
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 (?:200|401) /)
  })

  test(`every answer has nosniff: ${listener}`, async () => {
    for (const request of [
      get,
      'nonsense\r\n\r\n',
      'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
      get.replace('/', '/x/'),
    ]) {
      assert.equal((await sendAll(port, request)).match(/x-content-type-options: nosniff/gi)?.length, 1, request)
    }
  })
}

test('every request sent before a half-close is carried out and answered once', async () => {
  const post = formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: petJson() })
  const list = formatRequest(service, { path: '/v1/pets?limit=1', key })
  for (const requests of [[post], [post, list], [list, post, list, list], Array.from({ length: 40 }, () => list)]) {
    const connection = await connect(service)
    connection.write(Buffer.concat(requests))
    connection.end()
    const answers = await connection.answersUntilEnd(requests.map(firstWord))
    assert.deepEqual(
      answers.map(({ status }) => status),
      requests.map(request => (request === post ? 201 : 200)),
    )
  }
})

test('a request that ends before it is complete is 400', async () => {
  const request = formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: petJson() })
  for (const length of [10, 40, request.length - 3]) {
    const connection = await connect(service)
    connection.write(request.subarray(0, length))
    connection.end()
    const [answer, ...others] = await connection.answersUntilEnd(['POST'])
    assert.ok(answer)
    assertRefused(answer, 'malformed_request')
    assert.equal(answer.json.message, 'The request ended before it was complete.')
    assert.deepEqual(others, [])
  }
})

test('an upgrade is not offered: the request is answered without it, and its connection ends', async () => {
  for (const protocol of ['websocket', 'h2c']) {
    const headers = { Connection: 'Upgrade', Upgrade: protocol }
    const requests: [status: number, request: Buffer][] = [
      [200, formatRequest(service, { path: '/v1/pets', key, headers })],
      [201, formatRequest(service, { method: 'POST', path: '/v1/pets', key, headers, body: petJson() })],
      [401, formatRequest(service, { method: 'POST', path: '/v1/pets', headers, body: 'x'.repeat(100_000) })],
      [404, formatRequest(service, { method: 'POST', path: '/v1/x', key, headers, body: 'x'.repeat(100_000) })],
      [
        415,
        formatRequest(service, {
          method: 'POST',
          path: '/v1/pets',
          key,
          headers,
          type: 'x',
          body: 'x'.repeat(100_000),
        }),
      ],
    ]
    for (const [status, request] of requests) {
      const [answer, ...others] = await sendUntilEnd(service, Buffer.concat([request, request]))
      assert.equal(answer?.status, status)
      assert.equal(answer?.header('connection'), 'close')
      assert.deepEqual(others, [])
    }
  }
})

test('bytes sent after the last answer do not reset the connection before the client has read that answer', async () => {
  const socket = await openSocket(service.port)
  const errors: Error[] = []
  socket.on('error', error => errors.push(error)).resume()
  socket.write('GET * HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'end')
  for (let packet = 0; packet < 10; packet++) {
    socket.write('nonsense\r\n\r\n')
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  assert.deepEqual(errors, [])
  socket.destroy()
})

test('the target * is for OPTIONS alone', async () => {
  const [answer] = await sendUntilEnd(service, 'GET * HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.ok(answer)
  assertRefused(answer, 'malformed_request')
})

test('any number of requests sent at once, in any packets, are answered one by one, in order', async () => {
  await createPet(service, key)
  // A body may contain the bytes that end a header section.
  const body = petJson().replace(',', `,${'\r\n\r\n'.repeat(20)}`)
  const kinds: [status: number, request: Buffer][] = [
    [200, formatRequest(service, { path: '/v1/pets?limit=3', key })],
    [304, formatRequest(service, { path: '/v1/pets?limit=1', key, headers: { 'If-None-Match': '*' } })],
    [200, formatRequest(service, { method: 'HEAD', path: '/v1/pets', key })],
    [204, formatRequest(service, { method: 'OPTIONS', path: '/v1/pets' })],
    [404, formatRequest(service, { path: '/v1/nothing', key })],
    [401, formatRequest(service, { method: 'POST', path: '/v1/pets', body: ' '.repeat(30_000) })],
    [201, formatRequest(service, { method: 'POST', path: '/v1/pets', key, body })],
    [201, chunked(formatRequest(service, { method: 'POST', path: '/v1/pets', key, body }))],
    [400, formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: ' '.repeat(60_000) })],
  ]
  for (let round = 0; round < 15; round++) {
    const sent = Array.from({ length: 60 }, () => kinds[Math.floor(Math.random() * kinds.length)] as (typeof kinds)[0])
    const bytes = Buffer.concat(sent.map(([, request]) => request))
    const connection = await connect(service)
    for (let start = 0; start < bytes.length; ) {
      const end = start + 1 + Math.floor(Math.random() ** 3 * 100_000)
      connection.write(bytes.subarray(start, end))
      start = end
      if (Math.random() < 0.3) await new Promise(setImmediate)
    }
    for (const [status, request] of sent) assert.equal((await connection.answer(firstWord(request))).status, status)
    connection.destroy()
  }
})

test('a body full of empty lines behind pipelined requests costs no more CPU time than other bodies', async t => {
  const own = await startTestService(t, { backend: 'embedded' })
  const connection = await connect(own)
  const list = formatRequest(own, { path: '/v1/pets' })
  connection.write(Buffer.concat([list, list]))
  for (let answer = 0; answer < 2; answer++) assert.equal((await connection.answer()).status, 401)
  const body = '\r\n'.repeat(4_194_304)
  const before = process.cpuUsage()
  connection.write(formatRequest(own, { method: 'POST', path: '/v1/pets', body }))
  connection.write(list)
  for (const method of ['POST', 'GET']) assert.equal((await connection.answer(method)).status, 401)
  const { user, system } = process.cpuUsage(before)
  assert.ok(user + system < 1_000_000, `${user + system} µs for ${body.length} bytes`)
  connection.destroy()
})

test('a client that does not read its answers causes no more calls than can be answered, and is cut off', async t => {
  // A load balancer would take the answers instead.
  const own = await startTestService(t, { backend: 'embedded', timeouts: { stallTimeoutMs: 1_000, checkEveryMs: 50 } })
  const { key: partner } = await own.createCaller()
  for (let pet = 0; pet < 100; pet++) await createPet(own, partner, { name: JSON.stringify('ü'.repeat(255)) })
  const list = formatRequest(own, { path: '/v1/pets?limit=100', key: partner })
  const before = callsIn(own)
  const sockets = await Promise.all(Array.from({ length: 10 }, () => openClient(own.port)))
  for (const socket of sockets) {
    socket.pause()
    socket.write(Buffer.concat(Array.from({ length: 400 }, () => list)))
  }
  // A client that does not read notices that it was cut off when it writes.
  await eventually(() => {
    for (const socket of sockets) socket.write('x')
    assert.ok(sockets.every(({ destroyed }) => destroyed))
  }, 100)
  const carriedOut = callsIn(own) - before
  assert.ok(carriedOut < 10 * 400 * 0.7, `${carriedOut} of ${10 * 400} calls`)
  assert.equal((await call(own, { path: '/v1/pets', key: partner })).status, 200)
})

test('a client that reads its answers slowly gets all of them', async t => {
  const own = await startTestService(t, { timeouts: { stallTimeoutMs: 2_000, checkEveryMs: 20 } })
  const { key: partner } = await own.createCaller()
  for (let pet = 0; pet < 20; pet++) await createPet(own, partner, { name: JSON.stringify('ü'.repeat(255)) })
  const socket = await openClient(own.port)
  let received = 0
  let rest = ''
  socket.on('data', (bytes: Buffer) => {
    const text = rest + bytes.toString('latin1')
    received += text.split('HTTP/1.1 200 OK').length - 1
    rest = text.slice(-14)
    socket.pause()
    setTimeout(() => socket.resume(), 1)
  })
  const list = formatRequest(own, { path: '/v1/pets', key: partner })
  for (let count = 0; count < 500; count++) socket.write(list)
  await eventually(() => assert.equal(received, 500))
  socket.destroy()
})

/** Sends these bytes, half-closes the connection, and returns everything that comes back. */
async function sendAll(port: number, bytes: string): Promise<string> {
  const socket = await openClient(port)
  let received = ''
  socket.setEncoding('latin1').on('data', text => {
    received += text
  })
  socket.end(bytes)
  await once(socket, 'close')
  return received
}

async function resetAtFirstByte(port: number, bytes: string): Promise<void> {
  const socket = await openClient(port)
  socket.once('data', () => resetSocket(socket))
  socket.write(bytes)
  await once(socket, 'close')
}

/** A client that ends its side when the service does. */
async function openClient(port: number): Promise<Socket> {
  const socket = await openSocket(port)
  return socket.on('error', () => {}).on('end', () => socket.end())
}

/** The same request with its body in chunks. */
function chunked(request: Buffer): Buffer {
  const text = request.toString('latin1').replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')
  const [head = '', ...parts] = text.split('\r\n\r\n')
  const body = parts.join('\r\n\r\n')
  const half = Math.floor(body.length / 2)
  const chunks = [body.slice(0, half), body.slice(half), ''].map(
    chunk => `${chunk.length.toString(16)}\r\n${chunk}\r\n`,
  )
  return Buffer.from(`${head}\r\n\r\n${chunks.join('')}`, 'latin1')
}

function callsIn({ logs }: TestService): number {
  return logs.join('').split('"msg":"call"').length - 1
}
