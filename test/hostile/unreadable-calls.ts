import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../support/call.ts'
import { readRate } from '../support/rate.ts'
import type { TestService } from '../support/service.ts'
import { openSocket } from '../support/transport.ts'

// If calls are counted in Redis, there is a delay between unreadable bytes and their answer.

const UNREADABLE: Record<string, readonly string[]> = {
  'bytes that are no call': ['no', ' call\r\n', 'at ', 'all', '\r\n\r\n', 'indeed'],
  'headers that are too large': ['GET /v1/pets HTTP/1.1\r\n', ...Array(8).fill(`X: ${'x'.repeat(4_000)}\r\n`)],
  'a body of bad chunks': [
    'POST /v1/pets HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
    ...Array(4).fill('no chunk\r\n'),
  ],
}

/** @param start starts a service that ends with the test; undefined if none can run */
export function testUnreadableCalls(
  counted: string,
  start: (t: TestContext) => Promise<TestService | undefined>,
): void {
  for (const [what, packets] of Object.entries(UNREADABLE)) {
    test(`counted ${counted}, ${what} are one call, however many packets they come in`, async t => {
      const service = await start(t)
      if (!service) return
      const answer = await write(service, packets, { pauseMs: 4, ends: false })
      assert.match(answer, /^HTTP\/1\.1 4\d\d /)
      assert.equal(answer.match(/^HTTP\//gm)?.length, 1)
      assert.equal(readRate(await call(service, { path: '/v1/pets' })).remaining, service.config.anonymousPerMinute - 2)
    })

    test(`counted ${counted}, a sender of ${what} that ends its side is answered all the same`, async t => {
      const service = await start(t)
      if (service) assert.match(await write(service, packets, { pauseMs: 0, ends: true }), /^HTTP\/1\.1 4\d\d /)
    })
  }
}

/** Writes these packets on a new connection, and returns what comes back. */
async function write(
  service: TestService,
  packets: readonly string[],
  { pauseMs, ends }: { pauseMs: number; ends: boolean },
): Promise<string> {
  const socket = (await openSocket(service.port)).setEncoding('latin1')
  let answer = ''
  socket.on('data', text => {
    answer += text
  })
  const ended = Promise.race([once(socket, 'end'), once(socket, 'close')])
  // A client that is cut off while it writes has already received its answer.
  socket.on('error', () => {})
  for (const packet of packets) {
    socket.write(packet, 'latin1')
    if (pauseMs > 0) await sleep(pauseMs)
  }
  if (ends) socket.end()
  await ended
  socket.destroy()
  return answer
}
