import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { load } from './load.ts'
import { memoryOf } from './process-figures.ts'
import { type Program, startPetstore } from './program.ts'
import { stock } from './stock.ts'

const ANIMALS = 1_000
const SECONDS = 4
/** The number of connections that keep calling. The others make one call, then stay idle. */
const CALLING = 64
/** The number of connections opened at a time. */
const OPENING = 100

/** Measures the cost of a list while this many connections are open, and the memory of an idle connection. */
export async function measureCallsByConnections(connections: number): Promise<Record<string, number>> {
  using stocked = await stock(ANIMALS)
  await using service = await startPetstore(stocked)
  const order = { url: service.url, key: stocked.key, paths: ['/v1/pets'], seconds: SECONDS }
  await load({ ...order, connections: CALLING })
  const waiting = Math.max(0, connections - CALLING)
  const memory = memoryOf(service.pid)
  using sockets = new WaitingSockets()
  await sockets.open(service, stocked.key, waiting)
  const grown = memoryOf(service.pid) - memory
  const cpu = service.cpuSeconds()
  const { calls, seconds, p50Ms, p99Ms } = await load({ ...order, connections: Math.min(connections, CALLING) })
  const cost = ((service.cpuSeconds() - cpu) * 1e6) / calls
  sockets.assertSound()
  return {
    'list, µs': cost,
    'calls per second': calls / seconds,
    'p50, ms': p50Ms,
    'p99, ms': p99Ms,
    'memory of a connection that waits, KB': waiting === 0 ? Number.NaN : (grown * 1e3) / waiting,
  }
}

/** Connections that have made one call and are idle. */
class WaitingSockets {
  readonly #sockets: Socket[] = []
  #failure: Error | undefined

  async open({ url }: Program, key: string, count: number): Promise<void> {
    const { hostname, port } = new URL(url)
    const call = `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`
    for (let opened = 0; opened < count; opened += OPENING) {
      const some = Array.from({ length: Math.min(OPENING, count - opened) }, async () => {
        const socket = this.#connect(hostname, Number(port))
        socket.write(call)
        const closed = once(socket, 'close').then(() => {
          throw new Error('A connection was closed before its answer.')
        })
        await Promise.race([once(socket, 'data'), closed])
        socket.resume()
      })
      await Promise.all(some)
    }
  }

  /** @throws Error if an idle connection failed, so fewer were open than intended */
  assertSound(): void {
    if (this.#failure) throw this.#failure
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #connect(hostname: string, port: number): Socket {
    const socket = connect(port, hostname)
    socket.on('error', error => {
      this.#failure ??= error
    })
    this.#sockets.push(socket)
    return socket
  }
}
