import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { pause } from '../sqlite/pause.ts'
import { Listener } from './listener.ts'

/** More than the sockets' buffers can hold. */
const LARGE = Buffer.alloc(64 * 1_048_576)
/** How long a slow client takes for it. It never stops for as long as half of that. */
const SLOW_READ_MS = 2_500

test('the service does not wait for a client that does not read its answer', { timeout: 10_000 }, async t => {
  const { listener, client, accepted } = await openListener(t, 200)
  listener.server.on('request', (_, response) => response.end(LARGE))
  client.pause()
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const [socket] = (await accepted) as [Socket]
  await once(socket, 'close')
})

test('a client that reads its answer slowly gets all of it', async t => {
  const { listener, client } = await openListener(t, SLOW_READ_MS / 2)
  listener.server.on('request', (_, response) => response.end(LARGE))
  client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  let received = 0
  const startedAt = performance.now()
  client.on('data', chunk => {
    received += chunk.length
    client.pause()
    // Spreads the answer evenly over this time, whatever the size of its parts.
    const due = startedAt + (received / LARGE.length) * SLOW_READ_MS
    setTimeout(() => client.resume(), Math.max(0, due - performance.now()))
  })
  await once(client, 'end')
  assert.ok(received > LARGE.length)
})

test('time in which the service was blocked does not count against a client', async t => {
  const stallTimeoutMs = 400
  const { listener, client } = await openListener(t, stallTimeoutMs)
  listener.server.on('request', (_, response) => response.end(LARGE))
  client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  let received = 0
  client.on('data', chunk => {
    received += chunk.length
  })
  await once(client, 'data')
  client.pause()
  // A few checks.
  await sleep(100)
  pause(2 * stallTimeoutMs)
  client.resume()
  await once(client, 'end')
  assert.ok(received > LARGE.length)
})

test('a connection that cannot be accepted during the stop does not end the wait for the calls in flight', async t => {
  const { listener, client } = await openListener(t, 1_000)
  const called = once(listener.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const [, response] = await called
  let isClosed = false
  const closed = listener.close().then(() => {
    isClosed = true
  })
  listener.server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
  await setImmediate()
  assert.equal(isClosed, false)
  response.end('ok')
  client.resume()
  await closed
})

async function openListener(t: TestContext, stallTimeoutMs: number) {
  const listener = new Listener({ timeouts: { stallTimeoutMs, checkEveryMs: 20 } })
  const url = new URL(await listener.open('127.0.0.1', 0))
  const accepted = once(listener.server, 'connection')
  const client = connect(Number(url.port), url.hostname)
  client.on('error', () => {})
  t.after(async () => {
    client.destroy()
    await listener.close()
  })
  return { listener, client, accepted }
}

test('connections over the maximum are closed immediately, and reported', async t => {
  let dropped = 0
  const listener = new Listener({ maxConnections: 2, events: { onError: () => {}, onTooMany: () => dropped++ } })
  listener.server.on('request', (_, response) => response.end('ok'))
  const port = Number(new URL(await listener.open('127.0.0.1', 0)).port)
  const sockets: Socket[] = []
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await listener.close()
  })
  async function open(): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }
  const [first] = [await open(), await open()]
  await once((await open()).resume(), 'close')
  assert.equal(dropped, 1)
  first.destroy()
  await once(first, 'close')
  await isAnswered(await open())
})

async function isAnswered(socket: Socket): Promise<void> {
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1\.1 200 /)
}
