import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { afterSilence } from '../domain/silence.ts'
import { LISTENER_SETTINGS } from '../tls/listener-settings.ts'

/** A certificate with its chain, and its key, in PEM. */
export interface Credentials {
  cert: string
  key: string
}

interface HandshakeOptions {
  /** For the whole handshake. */
  timeoutMs: number
  /** Called for a handshake that the client aborts, gets wrong, or cannot complete. */
  onFailed(error: NodeJS.ErrnoException): void
}

interface Outcome {
  onSecure(secured: TLSSocket): void
  /** The client speaks HTTP without TLS. The socket is paused and still has all of its bytes. */
  onPlain(): void
}

/** A stolen ticket key decrypts the TLS 1.2 connections of its lifetime. */
const TICKET_KEY_LIFETIME_MS = 12 * 3_600_000
const TICKET_KEY_BYTES = 48

/**
 * Carries out the TLS handshakes of a listener, always with the newest certificate. It has its own timeout, because the timeout of Node's
 * TLS server restarts with every byte.
 */
export class TlsHandshakes {
  readonly #server: Server
  readonly #timeoutMs: number
  readonly #underway = new Map<Socket, (secured: TLSSocket) => void>()
  readonly #renewTicketKeys: NodeJS.Timeout

  constructor(credentials: Credentials, { timeoutMs, onFailed }: HandshakeOptions) {
    this.#timeoutMs = timeoutMs
    this.#server = createServer({ ...LISTENER_SETTINGS, ...credentials, ALPNProtocols: ['http/1.1', 'http/1.0'] })
    this.#server.on('secureConnection', secured => this.#underway.get(rawSocketOf(secured))?.(secured))
    this.#server.on('tlsClientError', (error, secured) => {
      onFailed(error)
      secured.destroy()
    })
    const renewKeys = () => this.#server.setTicketKeys(randomBytes(TICKET_KEY_BYTES))
    this.#renewTicketKeys = setInterval(renewKeys, TICKET_KEY_LIFETIME_MS).unref()
  }

  close(): void {
    clearInterval(this.#renewTicketKeys)
  }

  /** Uses these for new handshakes. Open connections continue. */
  renew(credentials: Credentials): void {
    this.#server.setSecureContext({ ...LISTENER_SETTINGS, ...credentials })
  }

  /** Starts on a socket from which no byte has been read, or to which all have been put back. */
  begin(socket: Socket, { onSecure, onPlain }: Outcome): void {
    const leave = () => socket.destroy()
    const completed = afterSilence(this.#timeoutMs, leave)
    const forget = () => {
      completed()
      this.#underway.delete(socket)
    }
    socket.once('close', forget).once('end', leave)
    socket.once('data', (bytes: Buffer) => {
      socket.off('end', leave)
      socket.pause()
      socket.unshift(bytes)
      if (isPlainHttp(bytes)) {
        forget()
        onPlain()
        socket.resume()
        return
      }
      this.#underway.set(socket, secured => {
        forget()
        onSecure(secured)
      })
      this.#server.emit('connection', socket)
    })
  }
}

/** A TLS connection starts with a byte below 0x20, an HTTP request with its method. */
function isPlainHttp(bytes: Buffer): boolean {
  return /^[A-Za-z]/.test(bytes.toString('latin1', 0, 1))
}

export function rawSocketOf(secured: Socket): Socket {
  // Node has no public name for it.
  return (secured as Socket & { _parent?: Socket })._parent ?? secured
}

export function isEncrypted(socket: Socket): boolean {
  return (socket as Partial<TLSSocket>).encrypted === true
}
