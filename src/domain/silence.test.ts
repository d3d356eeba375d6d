import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pause } from '../sqlite/pause.ts'
import { afterSilence } from './silence.ts'
import { DAY_MS } from './time.ts'

const WAIT_MS = 200
/** Of a busy process. */
const TURN_MS = 70

test('only a wait that has not ended keeps the process running', () => {
  const timers = () => process.getActiveResourcesInfo().filter(type => type === 'Timeout').length
  const before = timers()
  const wait = () => afterSilence(WAIT_MS, () => assert.fail('it was ended'))
  wait()()
  assert.equal(timers(), before)
  const [end, endOther] = [wait(), wait()]
  assert.equal(timers(), before + 1)
  endOther()
  assert.equal(timers(), before + 1)
  end()
  assert.equal(timers(), before)
})

test('a process that was blocked for longer than the wait still gets the response', async t => {
  const { client } = await connectTo(t)
  const { promise: silence, resolve: giveUp } = Promise.withResolvers<'silence'>()
  const answer = once(client, 'data')
  client.write('PING')
  const answered = afterSilence(WAIT_MS, () => giveUp('silence'))
  pause(2 * WAIT_MS)
  assert.equal(String(await Promise.race([answer, silence])), 'PING')
  answered()
})

test('what has arrived during the last part of a wait is read before the wait ends', async t => {
  const { client, server } = await connectTo(t)
  const { promise: silence, resolve: giveUp } = Promise.withResolvers<'silence'>()
  const answer = once(client, 'data')
  const answered = afterSilence(WAIT_MS, () => giveUp('silence'))
  // Ends with the first check; the other wait, with the second.
  await new Promise<void>(resolve => afterSilence(1, resolve))
  server.write('PONG')
  pause(WAIT_MS)
  assert.equal(String(await Promise.race([answer, silence])), 'PONG')
  answered()
})

test('a step of the system clock does not change a wait', async t => {
  const { now } = Date
  const { promise: silence, resolve: giveUp } = Promise.withResolvers<'silence'>()
  const end = afterSilence(WAIT_MS, () => giveUp('silence'))
  t.mock.method(Date, 'now', () => now() - DAY_MS)
  assert.equal(await Promise.race([silence, sleep(10 * WAIT_MS, 'no end')]), 'silence')
  end()
})

test('a wait takes no longer because each of its checks is a little late', async t => {
  // Until no check is under way.
  await sleep(WAIT_MS)
  const startedAt = performance.now()
  let now = startedAt
  t.mock.method(performance, 'now', () => now)
  t.mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] })
  let endedAt = Number.NaN
  const end = afterSilence(1_000, () => {
    endedAt = now
  })
  for (let turn = 0; turn < 30; turn += 1) {
    now += TURN_MS
    t.mock.timers.tick(TURN_MS)
  }
  end()
  assert.ok(endedAt - startedAt >= 1_000)
  assert.ok(endedAt - startedAt < 1_000 + 2 * TURN_MS)
})

test('each wait ends after its own time, and one that was ended does not call back', async () => {
  const startedAt = performance.now()
  const waited = (milliseconds: number) =>
    new Promise<number>(resolve => afterSilence(milliseconds, () => resolve(performance.now() - startedAt)))
  const [long, short] = [waited(2 * WAIT_MS), waited(WAIT_MS)]
  afterSilence(WAIT_MS, () => assert.fail('it was ended'))()
  assert.ok((await short) >= WAIT_MS)
  assert.ok((await long) >= 2 * WAIT_MS)
  assert.ok((await short) < (await long))
})

/**
 * Connects to a server in this process that returns what it gets. It is blocked at the same times, so its response takes more than one turn of the
 * event loop.
 */
async function connectTo(t: TestContext) {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.pipe(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const accepted = once(server, 'connection')
  const client = connect((server.address() as { port: number }).port, '127.0.0.1')
  const [[other]] = await Promise.all([accepted, once(client, 'connect')])
  t.after(() => {
    client.destroy()
    server.close()
  })
  return { client, server: other as Socket }
}
