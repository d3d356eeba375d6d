import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { afterSilence } from './silence.ts'

const WAIT_MS = 200

test('a wait that was ended does not keep the process running', () => {
  const timers = () => process.getActiveResourcesInfo().filter(type => type === 'Timeout').length
  const before = timers()
  afterSilence(WAIT_MS, () => assert.fail('it was ended'))()
  assert.equal(timers(), before)
})

test('a process that was blocked for longer than the wait still gets the response', async t => {
  const client = await connectTo(t)
  const { promise: silence, resolve: giveUp } = Promise.withResolvers<'silence'>()
  const answer = once(client, 'data')
  client.write('PING')
  const answered = afterSilence(WAIT_MS, () => giveUp('silence'))
  block(2 * WAIT_MS)
  assert.equal(String(await Promise.race([answer, silence])), 'PING')
  answered()
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
  await Promise.all([once(client, 'connect'), accepted])
  t.after(() => {
    client.destroy()
    server.close()
  })
  return client
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
