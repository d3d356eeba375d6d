import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { pino } from 'pino'
import { until } from '../../test/support/eventually.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import { decide, windowOf } from '../domain/rate-limiter.ts'
import type { Store } from '../domain/store.ts'
import { Listener } from '../http/listener.ts'
import { serveCalls } from '../http/server.ts'
import { buildPublicApi } from './api.ts'

test('a body that breaks off while its call is being counted is the reason for the refusal', async t => {
  const { promise: counted, resolve } = Promise.withResolvers<Decision>()
  const now = Date.now()
  const admitted = decide('admitted', [windowOf('anonymous', 600, { used: 1, resetsAt: now + 60_000 })], now)
  const listener = new Listener()
  const api = buildPublicApi({
    store: { revision: () => ({ callers: 1 }) } as Store,
    deployment: 'production',
    baseUrl: 'http://localhost/v1',
    publicUrls: {},
    limiter: {
      consume: () => counted,
      read: async () => ({ counts: {}, readAt: 0, isComplete: true }),
      save: async () => {},
    },
    addresses: { consume: () => counted, peek: () => admitted, known: () => admitted, room: () => 1 },
    clientAddress: () => undefined,
    corsOrigins: [],
    isHttps: false,
    now: Date.now,
  })
  const log = pino({ level: 'silent' })
  serveCalls(listener, { api, log, onAnswered: () => {}, isStopping: () => false, now: Date.now })
  t.after(() => listener.close())
  const { port } = new URL(await listener.open('127.0.0.1', 0))

  const accepted = once(listener.server, 'connection')
  const socket = connect(Number(port), '127.0.0.1').setEncoding('latin1')
  let received = ''
  socket.on('data', text => {
    received += text
  })
  const [served] = (await accepted) as [Socket]
  for (const part of [
    'GET /nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
    'no length of a chunk\r\n',
  ]) {
    socket.write(part)
    await until(() => served.bytesRead === socket.bytesWritten)
  }
  resolve(admitted)
  await once(socket, 'close')
  assert.match(received, /^HTTP\/1\.1 400 /)
  assert.match(received, /"code":"malformed_request"/)
})
