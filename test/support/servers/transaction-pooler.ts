import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/**
 * Runs between a client and PostgreSQL like a pooler that gives each transaction another connection: alternately one of two. For servers without a
 * password. Ends with the test.
 * @returns the URL to reach it
 */
export async function startTransactionPooler(t: TestContext, serverUrl: string): Promise<string> {
  const { hostname, port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const pooler = createServer(client => {
    keep(client)
    const servers = [keep(connect(Number(port), hostname)), keep(connect(Number(port), hostname))] as const
    let turn: 0 | 1 = 0
    let isStarted = false
    client.on('data', bytes => {
      for (const server of isStarted ? [servers[turn]] : servers) server.write(bytes)
      isStarted = true
    })
    for (const [index, server] of servers.entries()) {
      // Only the first one greets the client.
      let isGreeted = index === 0
      eachMessage(server, message => {
        if (isGreeted) client.write(message)
        const isReady = message[0] === READY
        if (isReady && isGreeted && message[5] === IDLE) turn = turn === 0 ? 1 : 0
        isGreeted ||= isReady
      })
      server.on('close', () => client.destroy())
      client.on('close', () => server.destroy())
    }
  })
  pooler.listen(0, '127.0.0.1')
  await once(pooler, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    pooler.close()
  })
  const url = new URL(serverUrl)
  url.port = String((pooler.address() as AddressInfo).port)
  return url.href
}

const READY = 'Z'.charCodeAt(0)
const IDLE = 'I'.charCodeAt(0)

/** A message is a letter, the length of what follows the letter in four bytes, and the rest. */
function eachMessage(server: Socket, take: (message: Buffer) => void): void {
  let bytes: Buffer = Buffer.alloc(0)
  server.on('data', (more: Buffer) => {
    bytes = Buffer.concat([bytes, more])
    while (bytes.length >= 5 && bytes.length >= 1 + bytes.readUInt32BE(1)) {
      const end = 1 + bytes.readUInt32BE(1)
      take(bytes.subarray(0, end))
      bytes = bytes.subarray(end)
    }
  })
}
