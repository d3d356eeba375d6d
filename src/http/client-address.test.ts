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
    ['::ffff:192.0.2.8', '192.0.2.8'],
    [undefined, '127.0.0.1'],
    ['192.0.2.7', '192.0.2.7'],
  ] as const) {
    assert.equal(await networkOf(forwarded), network)
  }
  assert.equal(sockets.size, 1)
})

test('what is not an address in its usual form is ignored, and the proxy itself is the client', () => {
  const clientAddress = buildClientAddress(buildIsWithin(['127.0.0.1']))
  const networkFor = (forwarded: string) => {
    const socket = { remoteAddress: '127.0.0.1' } as Socket
    return clientAddress({ socket, headers: { 'x-forwarded-for': forwarded } })?.toString()
  }
  assert.equal(networkFor('198.51.100.7'), '198.51.100.7')
  const wrong = ['198.51.100.07', '198.51.100.256', '127.1', '1', '0x7f.0.0.1', '::ffff:198.51.100.07', 'unknown', '']
  for (const forwarded of wrong) assert.equal(networkFor(forwarded), '127.0.0.1', forwarded)
})
