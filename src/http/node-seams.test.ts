import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { endAfter } from './node-seams.ts'

test('the connection ends after an answer that is to be its last, and says so', async t => {
  let answered = 0
  const server = createServer((_request, response) => {
    if (++answered === 2) endAfter(response)
    response.end('x')
  })
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2))
  const connections = (await text(socket)).match(/^Connection: .*$/gim)
  assert.deepEqual(connections, ['Connection: keep-alive', 'Connection: close'])
})
