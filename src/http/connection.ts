import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Refusal } from '../domain/errors.ts'
import type { Call } from './call.ts'

/** One request on a connection. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Undefined until its turn has come. */
  call: Call | undefined
  /** Why it cannot be carried out, if that is known before its turn has come. */
  refusal: Refusal | undefined
}

/** The requests that wait behind others on their connections, of all connections of a listener together. */
export interface Backlog {
  size: number
  /** Called when there are so many of them that no connection may add a packet full of others at once. */
  onLarge(): void
}

/** A waiting request takes up to 5 KB, and 64 KB of bytes read at once may hold thousands. Only clients that pipeline have any. */
const LARGE_BACKLOG = 1_000
/** How long a sender whose connection ends may still read its answer. */
const LINGER_MS = 1_000
const END_OF_HEAD = '\r\n\r\n'
/** What is read at least in one step: a few small requests. Else a body full of empty lines would take a step for every 4 bytes. */
const STEP_BYTES = 256

/** What a client or a network does to a connection; anything else is a defect. */
const EXPECTED_ERRORS = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED', 'EHOSTUNREACH', 'ENETUNREACH'])

const CONNECTION = Symbol('connection')

interface OwnedSocket extends Socket {
  [CONNECTION]?: Connection
}

/** The owner of a socket that a listener has accepted. */
export function connectionOf(socket: Socket): Connection {
  const connection = (socket as OwnedSocket)[CONNECTION]
  if (!connection) throw new Error('The socket has no owner.')
  return connection
}

/**
 * Owns a socket from its first byte to its last: handles its errors, lets one request at a time be carried out, reads no
 * further while the client does not take its answers, and ends it so that the last answer arrives.
 */
export class Connection {
  readonly socket: Socket
  readonly #backlog: Backlog
  /** How many of its requests are in the backlog. */
  #waiting = 0
  #newest: Exchange | undefined
  /** Bytes that came before HTTP: a PROXY header. Infinite until that is known. */
  #bytesBeforeHttp = Number.POSITIVE_INFINITY
  /** Node's way of reading requests out of bytes, once this connection hands it the bytes itself. */
  #parse: ((bytes: Buffer) => void) | undefined
  #isHeld = false
  #isUnreadable = false
  /** How much of what was written had not reached the network when this was last looked at, and since when. */
  #unsent = 0
  #unsentSince = 0

  constructor(socket: Socket, backlog: Backlog, onError: (error: Error) => void) {
    this.socket = socket
    this.#backlog = backlog
    ;(socket as OwnedSocket)[CONNECTION] = this
    // Node takes its own listener off where a client sends CONNECT, and after a first error.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (!EXPECTED_ERRORS.has(error.code ?? '')) onError(error)
    })
    socket.once('close', () => {
      backlog.size -= this.#waiting
      this.#waiting = 0
    })
  }

  /** Node's HTTP server listens now. @param bytesBefore how many bytes of the connection were not for it */
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

  /** Carries a request out when the one before it has been answered. Behind the last answer of the connection, none is. */
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
   * From now on hands the bytes to Node's parser a few requests at a time. The parser would make requests out of all that it gets at
   * once, and of each packet that follows, however many are still to be answered. Reading this way takes a third more processor
   * time, so only those connections do it on which a request arrived before the one before it was answered, and all of them while
   * the backlog is large.
   */
  readStepwise(): void {
    if (this.#parse || this.#bytesBeforeHttp === Number.POSITIVE_INFINITY) return
    const [parse] = this.socket.listeners('data') as ((bytes: Buffer) => void)[]
    if (!parse) return
    this.#parse = parse
    this.socket.on('data', (bytes: Buffer) => this.#feed(bytes))
    this.socket.off('data', parse)
    // Until now Node has read past the stream, and may have stopped while the stream believes that it reads. This ends that belief.
    this.socket.push('')
  }

  /** Does this when everything that arrived before has been answered, unless the connection ends with that. */
  afterNewest(next: () => void): void {
    const { response } = this.#newest ?? {}
    if (!response || response.writableFinished) next()
    else {
      response.once('finish', () => {
        if (response.shouldKeepAlive) next()
      })
    }
  }

  /** Ignores whatever follows. Returns whether it was read until now. */
  stopReading(): boolean {
    const wasReadable = !this.#isUnreadable
    this.#isUnreadable = true
    // Node would end the connection when the client has sent its last byte, though it may still wait for an answer.
    this.socket.removeAllListeners('end')
    return wasReadable
  }

  /** Makes the answer that is being written the last one. Its sender may go on sending, and can read it nevertheless. */
  endAfterAnswer(): void {
    // Node calls this when the answer has been written; its own would reset the connection where bytes are left unread.
    this.socket.destroySoon = () => this.end()
  }

  /**
   * Ends the connection behind what has been written. To close it at once, with bytes unread, would reset it, and the client
   * would lose its answer.
   */
  end(): void {
    this.#isUnreadable = true
    this.socket.end(() => {
      const timer = setTimeout(() => this.socket.destroy(), LINGER_MS)
      this.socket.once('close', () => clearTimeout(timer))
    })
    this.socket.resume()
  }

  /** Answers where there is no request to answer, and ends the connection. */
  endWith(status: number, headers: readonly string[], body: string | Buffer): void {
    if (!this.socket.writable) return
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Date: ${new Date().toUTCString()}`,
      'Connection: close',
    ]
    for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`)
    this.socket.write(`${lines.join('\r\n')}${END_OF_HEAD}${body}`)
    this.end()
  }

  /** Cuts a client off that has taken nothing of what was written to it for so long. */
  endIfStill(afterMs: number, now: number): void {
    const unsent = unsentBytes(this.socket)
    if (unsent === 0 || unsent < this.#unsent || this.#unsent === 0) this.#unsentSince = now
    this.#unsent = unsent
    if (unsent > 0 && now - this.#unsentSince >= afterMs) this.socket.destroy()
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

  /** Whether a request has arrived completely and its answer has not been taken. */
  #isBusy(): boolean {
    return this.#newest?.request.complete === true && !this.#newest.response.writableFinished
  }

  /** Gives bytes back to the socket, which reads on when the newest request has been answered. */
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

/** What was written and has not been taken over by the system's own buffer. */
function unsentBytes(socket: Socket): number {
  if (socket.writableLength === 0) return 0
  // The stream counts a chunk until all of it is gone. Only the handle knows how much of a large one is left.
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } }
  return socket.writableLength + (handle?.writeQueueSize ?? 0)
}
