import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Call } from './call.ts'
import { STATUS_CODES } from './node-http.ts'
import type { Refusal } from './refusal.ts'
import { rawSocketOf } from './tls-handshakes.ts'

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** When its headers had arrived and the previous request on the connection had been answered, in Unix milliseconds. */
  arrivedAt: number
  /** Undefined until its turn. */
  call: Call | undefined
  /** Why it cannot be carried out, if known before its turn. */
  refusal: Refusal | undefined
}

/** The requests that wait behind others on the same connection, for all connections of a listener. */
export interface Backlog {
  size: number
  /** Called when the backlog is so large that no connection may add a whole packet of requests at a time. */
  onLarge(): void
}

/** A waiting request takes up to 5 KB of memory, and a packet of 64 KB may hold thousands. Only pipelining clients cause any. */
const LARGE_BACKLOG = 1_000
/** How long a client may still read its answer after its connection has ended. */
const LINGER_MS = 1_000
const END_OF_HEAD = '\r\n\r\n'
/** The minimum number of bytes read in one step: a few small requests. Otherwise a body of empty lines would take a step per 4 bytes. */
const STEP_BYTES = 256

/** Errors that a client or the network can cause; any other is a defect. TLS has dozens, for all kinds of invalid bytes. */
const EXPECTED_ERRORS = /^(?:ECONNRESET|EPIPE|ETIMEDOUT|ECONNABORTED|EHOSTUNREACH|ENETUNREACH|EPROTO|ERR_SSL_.*)$/

const CONNECTION = Symbol('connection')

interface OwnedSocket extends Socket {
  [CONNECTION]?: Connection
}

export function connectionOf(socket: Socket): Connection {
  const connection = (socket as OwnedSocket)[CONNECTION]
  if (!connection) throw new Error('The socket has no owner.')
  return connection
}

/**
 * Owns a socket from its first byte to its last. It handles errors, carries out one request at a time, stops reading while the client does
 * not read its answers, and closes the socket in a way that lets the last answer arrive.
 */
export class Connection {
  #socket: Socket
  readonly #backlog: Backlog
  readonly #onError: (error: Error) => void
  /** How long a client may send nothing of a streamed body, in milliseconds. */
  readonly bodyStallTimeoutMs: number
  /** How many of its requests are in the backlog. */
  #waiting = 0
  #newest: Exchange | undefined
  /** The length of a PROXY header; infinite until it is known. */
  #bytesBeforeHttp = Number.POSITIVE_INFINITY
  /** Node's parser, once this connection hands the bytes to it. */
  #parse: ((bytes: Buffer) => void) | undefined
  #isHeld = false
  #isUnreadable = false
  /** How many bytes had been sent at the last check, and since when no byte has been sent although some were written. */
  #sent = 0
  #unsentSince = 0
  /** How many bytes had arrived at the last check, and since when no byte has arrived although every call was answered. */
  #received = 0
  #idleSince = 0
  /** The newest request at the last check, if it was answered by then. */
  #answered: Exchange | undefined
  /** Whether bytes have arrived since then, of a request whose head is not complete. */
  #isBegun = false

  constructor(socket: Socket, backlog: Backlog, bodyStallTimeoutMs: number, onError: (error: Error) => void) {
    this.#socket = socket
    this.bodyStallTimeoutMs = bodyStallTimeoutMs
    this.#backlog = backlog
    this.#onError = onError
    this.#own(socket)
    socket.once('close', () => {
      backlog.size -= this.#waiting
      this.#waiting = 0
    })
  }

  /** The socket that carries HTTP: after a TLS handshake, the one that decrypts. */
  get socket(): Socket {
    return this.#socket
  }

  /** Switches to an encrypted socket. The raw socket closes together with it. */
  secure(secured: Socket): void {
    this.#socket = secured
    this.#own(secured)
  }

  /** Node's HTTP server now reads the connection. @param bytesBefore the length of a PROXY header */
  beginHttp(bytesBefore: number): void {
    this.#bytesBeforeHttp = bytesBefore
    if (this.#backlog.size > LARGE_BACKLOG) this.readStepwise()
  }

  /** Whether no byte of a request has arrived. */
  get isUnused(): boolean {
    return this.socket.bytesRead <= this.#bytesBeforeHttp
  }

  /** The request that arrived last. */
  get newest(): Exchange | undefined {
    return this.#newest
  }

  /** Carries out a request once the previous one has been answered, unless that answer was the last of the connection. */
  add(exchange: Exchange, carryOut: () => void): void {
    const previous = this.#newest
    if (this.#isUnreadable) return
    this.#newest = exchange
    if (!previous || previous.response.writableFinished) {
      carryOut()
      return
    }
    this.readStepwise()
    this.#waiting++
    if (++this.#backlog.size === LARGE_BACKLOG) this.#backlog.onLarge()
    previous.response.once('finish', () => {
      this.#waiting--
      this.#backlog.size--
      if (previous.response.shouldKeepAlive) carryOut()
    })
  }

  /**
   * From now on, passes bytes to Node's parser a few requests at a time. On its own, the parser turns each whole packet into requests,
   * however many are still unanswered. Stepwise reading takes a third more CPU time. So a connection switches to it only if its client
   * sends a request before the previous one was answered, or while the backlog of the listener is large.
   */
  readStepwise(): void {
    if (this.#parse || this.#bytesBeforeHttp === Number.POSITIVE_INFINITY) return
    const [parse] = this.socket.listeners('data') as ((bytes: Buffer) => void)[]
    if (!parse) return
    this.#parse = parse
    this.socket.on('data', (bytes: Buffer) => this.#feed(bytes))
    this.socket.off('data', parse)
    // Node has bypassed the stream, and may have stopped while the stream still counts as reading. This resets the stream.
    this.socket.push('')
  }

  /** Calls `next` once everything that has arrived has been answered, unless the last answer ends the connection. */
  afterNewest(next: () => void): void {
    const { response } = this.#newest ?? {}
    if (!response || response.writableFinished) next()
    else {
      response.once('finish', () => {
        if (response.shouldKeepAlive) next()
      })
    }
  }

  /** Ignores all further bytes. Returns whether they were being read until now. */
  stopReading(): boolean {
    const wasReadable = !this.#isUnreadable
    this.#isUnreadable = true
    // Node would close the connection after the client's last byte, although the client may still wait for an answer.
    this.socket.removeAllListeners('end')
    return wasReadable
  }

  /** Makes the current answer the last one. The client can read it even if it keeps sending. */
  endAfterAnswer(): void {
    // Node calls this when the answer has been written. Node's own method would reset the connection if bytes are unread.
    this.socket.destroySoon = () => this.end()
  }

  /** Ends the connection after everything written. Closing it with unread bytes would reset it, and the client would lose its answer. */
  end(): void {
    this.#isUnreadable = true
    this.socket.end(() => {
      const timer = setTimeout(() => this.socket.destroy(), LINGER_MS)
      this.socket.once('close', () => clearTimeout(timer))
    })
    this.socket.resume()
  }

  /** Answers outside of a request, and ends the connection. */
  endWith(status: number, lines: string, body: string | Buffer): void {
    if (!this.socket.writable) return
    const start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\n`
    this.socket.write(`${start}${lines}\r\n${body}`)
    this.end()
  }

  /** Closes the connection if the client has read nothing for this long. */
  endIfStalled(afterMs: number, now: number): void {
    const sent = sentBytes(this.socket)
    if (sent > this.#sent || isAllSent(this.socket)) this.#unsentSince = now
    this.#sent = sent
    if (now - this.#unsentSince >= afterMs) this.socket.destroy()
  }

  /**
   * Closes the connection if every call was answered this long ago, and nothing has arrived since.
   * @param begunMs the same once the next request has begun; Node answers it with 408 before then
   */
  endIfIdle(afterMs: number, begunMs: number, now: number): void {
    const { bytesRead } = this.socket
    const answered = this.#newest?.response.writableFinished ? this.#newest : undefined
    if (bytesRead > this.#received || !answered) {
      this.#idleSince = now
      this.#isBegun = answered !== undefined && answered === this.#answered
    }
    this.#received = bytesRead
    this.#answered = answered
    if (now - this.#idleSince >= (this.#isBegun ? begunMs : afterMs)) this.socket.destroy()
  }

  #own(socket: OwnedSocket): void {
    socket[CONNECTION] = this
    // Node would start and stop a timer with every answer, which takes a twentieth of a call. `endIfIdle` needs none.
    socket.setTimeout = () => socket
    // Node removes its own listener after CONNECT and after a first error.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (!EXPECTED_ERRORS.test(error.code ?? '')) this.#onError(error)
    })
  }

  #feed(bytes: Buffer): void {
    for (let start = 0; start < bytes.length; ) {
      if (this.#isUnreadable || this.socket.destroyed) return
      if (this.#isBusy()) {
        this.#hold(bytes.subarray(start))
        return
      }
      const mark = bytes.indexOf(END_OF_HEAD, start + STEP_BYTES)
      const end = mark === -1 ? bytes.length : mark + END_OF_HEAD.length
      this.#parse?.(bytes.subarray(start, end))
      start = end
    }
  }

  /** Whether a request has arrived completely and its answer has not been sent. */
  #isBusy(): boolean {
    return this.#newest?.request.complete === true && !this.#newest.response.writableFinished
  }

  /** Puts bytes back into the socket. They are read again once the newest request has been answered. */
  #hold(bytes: Buffer): void {
    this.socket.pause()
    this.socket.unshift(bytes)
    if (this.#isHeld) return
    this.#isHeld = true
    this.#newest?.response.once('finish', () => {
      this.#isHeld = false
      this.socket.resume()
    })
  }
}

/** How many bytes the operating system has accepted. A streamed answer is written as fast as that, so some bytes are always waiting. */
function sentBytes(socket: Socket): number {
  const { bytesWritten = 0, writeQueueSize = 0 } = handleOf(rawSocketOf(socket))
  return bytesWritten - writeQueueSize
}

function isAllSent(socket: Socket): boolean {
  const handles = [socket, rawSocketOf(socket)].map(handleOf)
  return socket.writableLength === 0 && handles.every(({ writeQueueSize = 0 }) => writeQueueSize === 0)
}

/** What takes the bytes of a socket, encrypted if it is the raw one. Node has no public name for it. */
function handleOf(socket: Socket & { _handle?: Handle }): Handle {
  return socket._handle ?? {}
}

interface Handle {
  bytesWritten?: number
  writeQueueSize?: number
}
