import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** How long a client may take. */
export interface Timeouts {
  /** For the headers, from the first byte of the connection or the end of the call before. */
  headersMs: number
  /** For the whole request. */
  requestMs: number
  /** How long a connection may stay open between two calls. */
  keepAliveMs: number
  /** For how long nothing may pass over a connection in the middle of a call: whoever takes no answer is not waited for. */
  stillMs: number
  /** How often slow clients are looked for. */
  checkEveryMs: number
}

const TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 20_000,
  keepAliveMs: 65_000,
  stillMs: 30_000,
  checkEveryMs: 1_000,
}

const LARGEST_HEADERS = 16_384
/** For how long an orderly stop waits for the calls in flight. */
const PATIENCE_MS = 10_000

/** An HTTP server with its time-outs, its start and its orderly stop. */
export class Listener {
  readonly server: Server
  readonly #connections = new Set<Socket>()

  constructor(timeouts: Partial<Timeouts> = {}) {
    const { headersMs, requestMs, keepAliveMs, stillMs, checkEveryMs } = { ...TIMEOUTS, ...timeouts }
    this.server = createServer({
      maxHeaderSize: LARGEST_HEADERS,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: checkEveryMs,
      // Node would answer a missing Host by itself, without our headers.
      requireHostHeader: false,
    })
    this.server.timeout = stillMs
    this.server.on('connection', socket => {
      this.#connections.add(socket)
      socket.once('close', () => this.#connections.delete(socket))
    })
  }

  /** Listens, and tells at which address, such as http://127.0.0.1:8080. */
  async open(host: string, port: number): Promise<string> {
    this.server.listen(port, host)
    await once(this.server, 'listening')
    const { address, family, port: actual } = this.server.address() as AddressInfo
    if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${actual}`
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`
  }

  /** Takes no more connections, lets the calls in flight finish, and closes what is left after a while. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close')
    this.server.close()
    // Node takes a connection on which nothing was ever sent for one that is about to send.
    for (const socket of this.#connections) if (socket.bytesRead === 0) socket.destroy()
    const impatience = setTimeout(() => this.server.closeAllConnections(), PATIENCE_MS)
    await closed
    clearTimeout(impatience)
  }
}
