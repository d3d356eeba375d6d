import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { parseAddress } from './address.ts'
import { takeProxyHeader } from './proxy-protocol.ts'
import type { IsTrusted } from './trusted-proxies.ts'

/** How long a client may take. */
export interface Timeouts {
  /** For the headers, from the first byte of the connection or the end of the call before; and for a PROXY header before them. */
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

/** The proxies whose connections begin with a PROXY header. */
export interface ProxyProtocol {
  isSpokenBy: IsTrusted
  /** Is told of every connection of theirs that is ended because it has none, and why. */
  onMissing(proxy: string, reason: string): void
}

/** An HTTP server with its time-outs, its start and its orderly stop. */
export class Listener {
  readonly server: Server
  /** With the number of bytes that a connection had before its first call; infinite until that is known. */
  readonly #connections = new Map<Socket, number>()

  constructor(timeouts: Partial<Timeouts> = {}, proxyProtocol?: ProxyProtocol) {
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
    if (proxyProtocol) this.#readProxyHeaders(proxyProtocol, headersMs)
    this.server.prependListener('connection', socket => {
      this.#connections.set(socket, proxyProtocol ? Number.POSITIVE_INFINITY : 0)
      socket.once('close', () => this.#connections.delete(socket))
    })
  }

  /** Puts the HTTP server's own part behind the PROXY header, of those that send one. */
  #readProxyHeaders({ isSpokenBy, onMissing }: ProxyProtocol, timeoutMs: number): void {
    const { server } = this
    const [speakHttp] = server.listeners('connection')
    server.removeAllListeners('connection')
    server.on('connection', socket => {
      const begin = (headerBytes: number) => {
        this.#connections.set(socket, headerBytes)
        speakHttp?.call(server, socket)
      }
      const peer = socket.remoteAddress ?? ''
      const address = parseAddress(peer)
      if (!address || !isSpokenBy(address)) return begin(0)
      const refuse = (reason: string) => onMissing(peer, reason)
      takeProxyHeader(socket, timeoutMs, ({ length }) => begin(length), refuse)
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
    // Node takes a connection on which no call has begun yet for one that is about to.
    for (const [socket, before] of this.#connections) if (socket.bytesRead <= before) socket.destroy()
    const impatience = setTimeout(() => this.server.closeAllConnections(), PATIENCE_MS)
    await closed
    clearTimeout(impatience)
  }
}
