import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { buildIsWithin } from './address.ts'
import { buildClientAddress, buildClientNetwork } from './client-address.ts'

test('calls of several clients on one connection of a proxy each have their own network', async t => {
  const sockets = new Set<Socket>()
  const clientNetwork = buildClientNetwork(buildClientAddress(buildIsWithin(['127.0.0.1'])))
  const server = createServer((request, response) => {
    sockets.add(request.socket)
    response.end(clientNetwork(request))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => {
    agent.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const networkOf = async (forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded }
    const [answer] = (await once(get({ port, agent, headers }), 'response')) as [IncomingMessage]
    return text(answer)
  }
  for (const [forwarded, network] of [
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    [undefined, '127.0.0.1'],
    ['192.0.2.7', '192.0.2.7'],
  ] as const) {
    assert.equal(await networkOf(forwarded), network)
  }
  assert.equal(sockets.size, 1)
})
