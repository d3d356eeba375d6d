import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { Connection } from './connection.ts'

const IDLE_MS = 1_000
const BEGUN_MS = 3_000

test('an idle connection is closed when its time is over', async t => {
  const { connection, socket, receive } = await openConnection(t)
  await receive('GET /')
  addCall(connection).answer()
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 5_000)
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 5_999)
  assert.equal(socket.destroyed, false)
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 6_000)
  assert.equal(socket.destroyed, true)
})

test('a connection is not idle before its first call, or during a call', async t => {
  const { connection, socket, receive } = await openConnection(t)
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 5_000)
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 9_000)
  await receive('GET /')
  const call = addCall(connection)
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 13_000)
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 17_000)
  call.answer()
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 17_999)
  assert.equal(socket.destroyed, false)
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 18_000)
  assert.equal(socket.destroyed, true)
})

test('the first bytes of the next call keep a connection open until their own time is over', async t => {
  const { connection, socket, receive } = await openConnection(t)
  await receive('GET /')
  addCall(connection).answer()
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 5_000)
  await receive('G')
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 6_000)
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 8_999)
  assert.equal(socket.destroyed, false)
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 9_000)
  assert.equal(socket.destroyed, true)
})

test('after the next call, the time of an idle connection counts again', async t => {
  const { connection, socket, receive } = await openConnection(t)
  await receive('GET /')
  addCall(connection).answer()
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 5_000)
  await receive('G')
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 5_500)
  await receive('ET /')
  addCall(connection).answer()
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 6_000)
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 6_999)
  assert.equal(socket.destroyed, false)
  connection.endIfIdle(IDLE_MS, BEGUN_MS, 7_000)
  assert.equal(socket.destroyed, true)
})

test('a call is in the backlog until the call before it is answered, or its connection ends', async t => {
  const { connection, socket, backlog } = await openConnection(t)
  const first = addCall(connection)
  addCall(connection)
  addCall(connection)
  assert.equal(backlog.size, 2)
  first.answer()
  assert.equal(backlog.size, 1)
  socket.destroy()
  await once(socket, 'close')
  assert.equal(backlog.size, 0)
})

test('a connection that has been ended is closed a second later, although its client keeps its side open', async t => {
  const { connection, socket } = await openConnection(t)
  t.mock.method(socket, 'end', (onSent: () => void) => onSent())
  // Only within this turn: other timers of the process must not be replaced.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  connection.end()
  const states = [999, 1].map(milliseconds => {
    t.mock.timers.tick(milliseconds)
    return socket.destroyed
  })
  t.mock.timers.reset()
  assert.deepEqual(states, [false, true])
})

async function openConnection(t: TestContext) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  t.after(() => {
    client.destroy()
    socket.destroy()
    server.close()
  })
  const backlog = { size: 0, onLarge: () => {} }
  const connection = new Connection(socket.resume(), backlog, 0, error => assert.ifError(error))
  async function receive(text: string): Promise<void> {
    const before = socket.bytesRead
    client.write(text)
    await eventually(() => assert.equal(socket.bytesRead, before + text.length))
  }
  return { connection, socket, backlog, receive }
}

function addCall(connection: Connection): { answer(): void } {
  const request = { complete: true } as IncomingMessage
  const response = Object.assign(new EventEmitter(), { writableFinished: false, shouldKeepAlive: true })
  const exchange = { request, response: response as ServerResponse, arrivedAt: 0, call: undefined, refusal: undefined }
  connection.add(exchange, () => {})
  return {
    answer() {
      response.writableFinished = true
      response.emit('finish')
    },
  }
}
