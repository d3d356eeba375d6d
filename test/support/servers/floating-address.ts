import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Cleanup } from '../cleanup.ts'

/** One address that leads to one server after another, as a proxy, a virtual IP address or a DNS name does. It ends with the test. */
export interface FloatingAddress {
  port: number
  /** From now on, new connections reach this port. Those that exist stay where they are. */
  leadTo(port: number): void
}

export async function startFloatingAddress(t: Cleanup, port: number): Promise<FloatingAddress> {
  let target = port
  const open = new Set<Socket>()
  const keep = (socket: Socket, other: () => Socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => {
      open.delete(socket)
      other().destroy()
    })
  }
  const server = createServer(client => {
    const upstream = connect(target, '127.0.0.1')
    keep(client, () => upstream)
    keep(upstream, () => client)
    client.pipe(upstream).pipe(client)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(next) {
      target = next
    },
  }
}
