import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { makeAuthority } from '../support/certificates.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type ServiceOptions, startTestService, type TestService } from '../support/service.ts'
import { writeKeyPair } from '../support/transport.ts'

// Whatever a stranger does to a connection before, during or after the TLS handshake must not affect others.

const GET = 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'
const authority = makeAuthority()
const HELLO = await recordHello()

test('a handshake has one time limit, whether its client is silent, slow, or sends a byte now and then', async t => {
  const service = await start(t, { timeouts: { headersMs: 400, checkEveryMs: 50 } })
  const startedAt = performance.now()
  const silent = await open(service)
  const half = await open(service)
  half.write(HELLO.subarray(0, 100))
  const dripping = await open(service)
  let sent = 0
  const timer = setInterval(() => dripping.write(HELLO.subarray(sent, ++sent)), 20)
  t.after(() => clearInterval(timer))
  await Promise.all([silent, half, dripping].map(closed))
  const waited = performance.now() - startedAt
  assert.ok(waited > 350 && waited < 5_000, `${waited} ms`)
  await assertCalm(service)
})

test('1,000 handshakes that never end lock no one else out, and leave nothing behind', async t => {
  const service = await start(t, { timeouts: { headersMs: 3_000 } })
  const sockets: Socket[] = []
  for (let count = 0; count < 1_000; count++) {
    const socket = await open(service)
    if (count % 2 === 0) socket.write(HELLO.subarray(0, count % HELLO.length))
    sockets.push(socket)
  }
  await assertAnswered(service)
  await Promise.all(sockets.map(closed))
  await assertCalm(service)
})

test('bytes that are not TLS end their own connection at most', async t => {
  const service = await start(t)
  const beginnings = [
    [0x16],
    [0x16, 3, 1],
    [0x16, 3, 3, 0xff, 0xff],
    [0x80, 0x2e, 1],
    [0x00],
    [0x0d],
    [0x17, 3, 3],
    [0xff],
  ]
  for (let round = 0; round < 400; round++) {
    const socket = await open(service)
    const beginning = beginnings[round % beginnings.length] ?? []
    socket.write(Buffer.concat([Buffer.from(beginning), randomBytes(round)]))
    if (round % 3 === 0) socket.end()
    if (round % 3 === 1) setImmediate(() => socket.resetAndDestroy())
    if (round % 3 === 2) setTimeout(() => socket.destroy(), 5)
  }
  await assertCalm(service)
})

test('a handshake that is cut off at any byte, or damaged, ends its own connection at most', async t => {
  const service = await start(t)
  for (let length = 1; length <= HELLO.length; length += 3) {
    for (const end of ['end', 'resetAndDestroy', 'destroy'] as const) {
      const socket = await open(service)
      socket.write(HELLO.subarray(0, length), () => socket[end]())
    }
    const socket = await open(service)
    const damaged = Buffer.from(HELLO)
    damaged[length] = (damaged[length] ?? 0) ^ 0x55
    socket.write(damaged)
    setTimeout(() => socket.resetAndDestroy(), 3)
  }
  await assertCalm(service)
})

test('a client that resets its connection at any moment of a handshake or a call ends nothing but that', async t => {
  const service = await start(t)
  for (let round = 0; round < 150; round++) {
    const raw = await open(service)
    const socket = connectTls({ socket: raw, rejectUnauthorized: false }).on('error', () => {})
    if (round % 2 === 0) socket.write(GET.repeat(round % 5))
    raw.once('close', () => socket.destroy())
    await sleep(round / 20)
    raw.resetAndDestroy()
  }
  await assertCalm(service)
})

test('bytes that are not encrypted after a handshake end their own connection at most', async t => {
  const service = await start(t)
  for (const bytes of [
    GET,
    'x',
    Buffer.from([0x15, 3, 3, 0, 2, 2, 40]),
    Buffer.from([0x16, 3, 3, 0, 4, 0, 0, 0, 0]),
    HELLO,
  ]) {
    for (const isWaiting of [true, false]) {
      const { raw, socket } = await handshake(service)
      if (isWaiting) socket.write(GET.slice(0, -2))
      const end = closed(raw)
      raw.write(bytes)
      await sleep(20)
      raw.end()
      await end
    }
  }
  await assertCalm(service)
})

test('a client that closes its connection without a TLS close_notify still gets its response', async t => {
  const service = await start(t)
  const { raw, socket } = await handshake(service)
  let received = ''
  socket.on('data', text => {
    received += text
  })
  const written = raw.bytesWritten
  socket.write(GET)
  await eventually(() => assert.ok(raw.bytesWritten > written))
  raw.end()
  await eventually(() => assert.match(received, /^HTTP\/1\.1 401 /))
  raw.destroy()
  await assertCalm(service)
})

/** Starts a service that speaks HTTPS, with short lingering so that a test can wait for every connection to end. */
async function start(t: TestContext, options: ServiceOptions = {}): Promise<TestService> {
  const files = writeKeyPair(await temporaryFolder(t), authority.issue())
  const tls = { public: files, operators: files }
  return startTestService(t, {
    backend: 'embedded',
    now: Date.now(),
    timeouts: { headersMs: 1_000, checkEveryMs: 50 },
    ...options,
    config: { tls, anonymousPerMinute: 100_000 },
  })
}

/** Waits for the end of a connection, however it comes. */
async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise(resolve => socket.once('close', resolve))
}

async function open(service: TestService): Promise<Socket> {
  const socket = connect({ port: service.port, host: '127.0.0.1', noDelay: true }).on('error', () => {})
  await once(socket, 'connect')
  return socket.resume()
}

/** A client after its handshake and a first call, and below it the socket on which its bytes reach the service. */
async function handshake(service: TestService): Promise<{ raw: Socket; socket: TLSSocket }> {
  const raw = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
  const relay = createServer({ allowHalfOpen: true }, client => {
    client.on('error', () => {}).on('data', bytes => raw.write(bytes))
    raw.on('data', bytes => client.write(bytes)).on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const { port } = relay.address() as AddressInfo
  const socket = connectTls({ port, host: '127.0.0.1', ca: authority.cert }).on('error', () => {})
  // The client may complete its side of the handshake before the service does.
  socket.write(GET)
  assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 401 /)
  relay.close()
  return { raw, socket }
}

async function assertAnswered(service: TestService): Promise<void> {
  const { raw } = await handshake(service)
  raw.destroy()
}

/** Asserts that others are answered, every connection has ended, and the log has no error. */
async function assertCalm(service: TestService): Promise<void> {
  await assertAnswered(service)
  await eventually(() => assert.equal(openConnections(service), 0))
  assert.deepEqual(
    service.logs.filter(line => /"level":[56]0/.test(line)),
    [],
  )
}

/** The open connections of this process on the side of its servers. Files that share the process have servers of their own. */
const accepted = new Set<Socket>()
subscribe('net.server.socket', message => {
  const { socket } = message as { socket: Socket }
  accepted.add(socket)
  socket.once('close', () => accepted.delete(socket))
})

function openConnections({ port }: TestService): number {
  return [...accepted].filter(({ localPort }) => localPort === port).length
}

/** The raw first bytes of a client. */
async function recordHello(): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connectTls({ port, host: '127.0.0.1' }).on('error', () => {})
  const [socket] = (await once(server, 'connection')) as [Socket]
  const [hello] = (await once(socket, 'data')) as [Buffer]
  client.destroy()
  socket.destroy()
  server.close()
  return hello
}
