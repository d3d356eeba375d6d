import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { REDIS_TIMEOUT_MS, withTimeout } from './timeouts.ts'

test('a process that was blocked for longer than the timeout still gets the response', async t => {
  const client = await connectTo(t, 'echo')
  const answer = once(client, 'data')
  client.write('PING')
  const waited = withTimeout(answer)
  block(REDIS_TIMEOUT_MS + 100)
  assert.equal(String((await waited)[0]), 'PING')
})

test('a server that stays silent for the timeout has not responded', async t => {
  const client = await connectTo(t, 'silence')
  client.write('PING')
  const startedAt = performance.now()
  await assert.rejects(withTimeout(once(client, 'data')), /No response arrived in time/)
  assert.ok(performance.now() - startedAt >= REDIS_TIMEOUT_MS)
})

/** Connects to a server in this process: it is blocked at the same times, so its response takes more than one turn of the event loop. */
async function connectTo(t: TestContext, kind: 'echo' | 'silence') {
  const server = createServer(socket => {
    socket.on('error', () => {})
    if (kind === 'echo') socket.pipe(socket)
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
