import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from '../cleanup.ts'

/** A line to a server of this machine: its answers are delayed, and it can be cut, as by a firewall. It ends with the test. */
export interface UnsteadyLine {
  url: string
  /** From now on, nothing arrives in either direction, and no connection ends. */
  cut(): void
  /** Everything that was sent meanwhile arrives. */
  restore(): void
}

/** @param delayMs how long each piece of an answer takes */
export async function startUnsteadyLine(t: Cleanup, serverUrl: string, delayMs: () => number): Promise<UnsteadyLine> {
  const { hostname, port } = new URL(serverUrl)
  const open = new Set<Socket>()
  let whole = Promise.resolve()
  let restore = () => {}
  const carry = (from: Socket, to: Socket, delay: () => number) => {
    let sent = Promise.resolve()
    open.add(from)
    from.on('error', () => {})
    from.on('data', bytes => {
      sent = sent.then(async () => {
        await sleep(delay())
        await whole
        to.write(bytes)
      })
    })
    from.once('close', () => {
      open.delete(from)
      void sent.then(() => to.destroy())
    })
  }
  const server = createServer({ noDelay: true }, client => {
    const upstream = connect({ port: Number(port), host: hostname, noDelay: true })
    carry(client, upstream, () => 0)
    carry(upstream, client, delayMs)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    restore()
    server.close()
    for (const socket of open) socket.destroy()
  })
  const url = new URL(serverUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    cut() {
      const { promise, resolve } = Promise.withResolvers<void>()
      whole = promise
      restore = resolve
    },
    restore: () => restore(),
  }
}
