import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { localHost } from '../domain/listening-host.ts'
import { MAX_HEADER_BYTES, MAX_HEADERS } from '../schema/limits.ts'
import { parseAddress } from './address.ts'
import type { IsTrusted } from './client-address.ts'
import { type Backlog, Connection } from './connection.ts'
import { createServer } from './node-http.ts'
import { copyProxiedAddress, takeProxyHeader } from './proxy-protocol.ts'
import { type Credentials, TlsHandshakes } from './tls-handshakes.ts'

/** How long a client may take, in milliseconds. */
export interface Timeouts {
  /** For the headers, from the first byte of the connection or the end of the previous call. Also for a PROXY header and for a handshake. */
  headersMs: number
  /** For the whole request; for a streamed body, between two chunks. */
  requestMs: number
  /** Between two calls. */
  keepAliveMs: number
  /** Without reading any part of an answer. */
  stallTimeoutMs: number
  /** How often to check for slow clients. */
  checkEveryMs: number
}

const TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 20_000,
  keepAliveMs: 65_000,
  stallTimeoutMs: 30_000,
  checkEveryMs: 1_000,
}

/** An idle connection takes about 20 KB. */
export const MAX_CONNECTIONS = 20_000
/** How much longer than announced a connection may be idle: the client's next call may already be on its way. */
const KEEP_ALIVE_GRACE_MS = 1_000
/** How long a graceful stop waits for the calls in flight. */
export const STOP_TIMEOUT_MS = 10_000

/** The proxies whose connections begin with a PROXY header. */
interface ProxyProtocol {
  isSpokenBy: IsTrusted
  /** Called when such a connection is closed because its header is missing or invalid. */
  onMissing(proxy: string, reason: string): void
}

/** What a listener reports. No event affects more than one connection. */
export interface ListenerEvents {
  /** An error that neither the client nor the network can cause, or a connection that could not be accepted. */
  onError(error: Error): void
  /** A new connection was closed immediately because too many are open. */
  onTooMany(): void
  /** A TLS handshake was not completed. */
  onHandshakeFailed?(error: NodeJS.ErrnoException): void
}

interface ListenerOptions {
  timeouts?: Partial<Timeouts> | undefined
  maxConnections?: number
  proxyProtocol?: ProxyProtocol | undefined
  /** If given, the listener speaks HTTPS. Plain HTTP requests still reach the API, which must refuse them. */
  credentials?: Credentials | undefined
  events?: ListenerEvents
}

/** An HTTP server with its connections, their timeouts, its start and its graceful stop. */
export class Listener {
  readonly server: Server
  readonly #connections = new Set<Connection>()
  readonly #events: ListenerEvents
  readonly #handshakes: TlsHandshakes | undefined

  constructor({
    timeouts = {},
    maxConnections = MAX_CONNECTIONS,
    proxyProtocol,
    credentials,
    events = { onError: () => {}, onTooMany: () => {} },
  }: ListenerOptions = {}) {
    const { headersMs, requestMs, keepAliveMs, stallTimeoutMs, checkEveryMs } = { ...TIMEOUTS, ...timeouts }
    this.#events = events
    this.server = createServer({
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: checkEveryMs,
      // Node would answer a missing Host itself, without our headers.
      requireHostHeader: false,
      // A request without a body needs no stream, which would take a thirtieth of a call.
      optimizeEmptyRequests: true,
    })
    this.server.maxHeadersCount = MAX_HEADERS
    // A client that has closed its sending side still receives its answers.
    Object.assign(this.server, { httpAllowHalfOpen: true })
    this.server.maxConnections = maxConnections
    this.server.on('drop', () => events.onTooMany())
    const onFailed = (error: NodeJS.ErrnoException) => events.onHandshakeFailed?.(error)
    this.#handshakes = credentials && new TlsHandshakes(credentials, { timeoutMs: headersMs, onFailed })
    this.#ownConnections(headersMs, requestMs, proxyProtocol)
    const idleMs = keepAliveMs + KEEP_ALIVE_GRACE_MS
    const begunMs = Math.max(idleMs, headersMs + checkEveryMs + KEEP_ALIVE_GRACE_MS)
    let [now, checkedAt] = [0, performance.now()]
    const watch = setInterval(() => {
      // Longer than that, this process was blocked or got no processor, and could neither read nor send anything.
      now += Math.min(performance.now() - checkedAt, 2 * checkEveryMs)
      checkedAt = performance.now()
      this.#endStill(stallTimeoutMs, idleMs, begunMs, now)
    }, checkEveryMs).unref()
    this.server.once('close', () => {
      clearInterval(watch)
      this.#handshakes?.close()
    })
  }

  /** Uses these for new connections. Only for a listener that speaks HTTPS. */
  renew(credentials: Credentials): void {
    this.#handshakes?.renew(credentials)
  }

  /** Gives every socket an owner, reads its PROXY header if it has one, decrypts it, and hands it to Node's HTTP server. */
  #ownConnections(headersMs: number, bodyStallTimeoutMs: number, proxyProtocol: ProxyProtocol | undefined): void {
    const { server } = this
    const backlog: Backlog = {
      size: 0,
      onLarge: () => {
        for (const connection of this.#connections) connection.readStepwise()
      },
    }
    const [speakHttp] = server.listeners('connection')
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) => {
      const connection = new Connection(socket, backlog, bodyStallTimeoutMs, this.#events.onError)
      this.#connections.add(connection)
      socket.once('close', () => this.#connections.delete(connection))
      const beginHttp = (bytesBefore: number) => {
        speakHttp?.call(server, connection.socket)
        connection.beginHttp(bytesBefore)
      }
      const handshakes = this.#handshakes
      const begin = !handshakes
        ? beginHttp
        : (headerBytes: number) => {
            handshakes.begin(socket, {
              onPlain: () => beginHttp(headerBytes),
              onSecure(secured) {
                connection.secure(secured)
                copyProxiedAddress(socket, secured)
                beginHttp(0)
              },
            })
          }
      const peer = socket.remoteAddress ?? ''
      const address = proxyProtocol && parseAddress(peer)
      if (!address || !proxyProtocol.isSpokenBy(address)) return begin(0)
      const refuse = (reason: string) => proxyProtocol.onMissing(peer, reason)
      takeProxyHeader(socket, headersMs, ({ length }) => begin(length), refuse)
    })
  }

  #endStill(stallTimeoutMs: number, idleMs: number, begunMs: number, now: number): void {
    for (const connection of this.#connections) {
      connection.endIfStalled(stallTimeoutMs, now)
      connection.endIfIdle(idleMs, begunMs, now)
    }
  }

  /** Listens, and returns its address on this machine, such as http://127.0.0.1:8080 or https://127.0.0.1:8443. */
  async open(host: string, port: number): Promise<string> {
    this.server.listen(port, host)
    await once(this.server, 'listening')
    // From now on, an error means a connection that could not be accepted, for example without a free file descriptor.
    this.server.on('error', error => this.#events.onError(error))
    const { address, port: actual } = this.server.address() as AddressInfo
    return `${this.#handshakes ? 'https' : 'http'}://${localHost(address)}:${actual}`
  }

  /** Accepts no more connections, and lets the calls in flight finish, until the signal cuts them off. */
  async close(cutOff: AbortSignal = AbortSignal.timeout(STOP_TIMEOUT_MS)): Promise<void> {
    const { promise: closed, resolve } = Promise.withResolvers<unknown>()
    this.server.close(resolve)
    // Node would wait for a first call on these connections.
    for (const connection of this.#connections) if (connection.isUnused) connection.socket.destroy()
    const forceClose = () => {
      for (const { socket } of this.#connections) socket.destroy()
    }
    if (cutOff.aborted) forceClose()
    cutOff.addEventListener('abort', forceClose)
    await closed
  }
}
