import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { Refusal } from '../domain/errors.ts'
import { type Awaitable, whenReady } from './awaitable.ts'
import { ClientGone } from './body.ts'
import type { Answer, Call, Sender } from './call.ts'
import { type Connection, connectionOf, type Exchange } from './connection.ts'
import { refusalAnswer, refusalOf } from './errors.ts'
import type { Listener } from './listener.ts'
import { type ParserError, refusalOfParserError } from './parser-refusals.ts'
import { requestIdOf } from './request-id.ts'

/** What a listener serves: the public API is one, the operators' side another. */
export interface Surface {
  /**
   * Carries a call out.
   * @throws Refusal
   */
  answer(call: Call): Awaitable<Answer>
  /** The headers that every answer has, besides its own and those of this module, as name, value, name, value … */
  headersOf(call: Call): Awaitable<string[]>
  /** What becomes of a sender whose bytes are no complete call: the refusal that it gets, perhaps another one, and the headers beside it. */
  meetUnread(sender: Sender, refusal: Refusal, now: number): Awaitable<Unread>
}

interface Unread {
  refusal: Refusal
  headers: string[]
}

/** Receives every call once, when it has been answered. Without a status, the client was gone before it could be. */
export type OnAnswered = (call: Call, status: number | undefined, refusal?: Refusal) => void

interface Dependencies {
  surface: Surface
  log: Logger
  onAnswered: OnAnswered
  /** Receives the refusal of every connection that is ended for bytes that are no call. */
  onUnread?(refusal: Refusal): void
  /** Whether clients are to move on: every answer then ends its connection. */
  isStopping(): boolean
  now(): number
}

/** Answers whatever arrives; there is one exit, so that every answer has the headers that every answer has. */
export function serveCalls(listener: Listener, dependencies: Dependencies): void {
  const { surface, log, onAnswered, onUnread = () => {}, isStopping, now } = dependencies
  const { server } = listener
  server.on('request', accept)
  server.on('checkContinue', accept)
  server.on('checkExpectation', accept)
  server.on('connect', (request: IncomingMessage, stream: Duplex) => {
    // Beside the socket, Node may hand over a stream of its own, whose errors are the socket's.
    stream.on('error', () => {})
    const connection = connectionOf(request.socket)
    connection.stopReading()
    const refusal = new Refusal('method_not_supported', 'CONNECT is not supported: this service is not a proxy.')
    connection.afterNewest(() => refuseConnection(connection, refusal, request.headers))
  })
  server.on('clientError', (error: ParserError, socket: Socket) => {
    const connection = connectionOf(socket)
    if (error.code === 'ECONNRESET') socket.destroy()
    // What arrives behind the last answer is an error as well, but must not cut that answer off.
    else if (!connection.stopReading()) return
    else if (!socket.writable) socket.destroy()
    else refuseUnread(connection, refusalOfParserError(error))
  })

  function accept(request: IncomingMessage, response: ServerResponse): void {
    const exchange: Exchange = { request, response, call: undefined, refusal: undefined }
    connectionOf(request.socket).add(exchange, () => {
      const call = begin(request, response)
      exchange.call = call
      if (exchange.refusal) refuseRest(call, exchange.refusal)
      else carryOut(call)
    })
  }

  function begin(request: IncomingMessage, response: ServerResponse): Call {
    return {
      request,
      response,
      requestId: requestIdOf(request.headers['x-request-id']),
      now: now(),
      startedAt: performance.now(),
      target: undefined,
      pathHeaders: [],
      operation: undefined,
      caller: undefined,
      operator: undefined,
      decision: undefined,
      counting: undefined,
      isAnswered: false,
    }
  }

  function carryOut(call: Call): void {
    try {
      const answer = surface.answer(call)
      if (answer instanceof Promise) {
        answer.then(
          ready => send(call, ready),
          error => fail(call, error),
        )
      } else send(call, answer)
    } catch (error) {
      fail(call, error)
    }
  }

  function fail(call: Call, error: unknown): void {
    if (error instanceof ClientGone) leaveUnanswered(call)
    else refuse(call, error)
  }

  function refuse(call: Call, error: unknown): void {
    const refusal = refusalOf(error)
    if (refusal !== error) log.error({ err: error, requestId: call.requestId }, 'a call failed')
    if (endsConnection(call, refusal)) call.response.shouldKeepAlive = false
    send(call, refusalAnswer(refusal), refusal)
  }

  function send(call: Call, answer: Answer, refusal?: Refusal): void {
    if (call.isAnswered) return
    call.isAnswered = true
    try {
      const written = whenReady(surface.headersOf(call), headers => write(call, answer, headers, refusal))
      if (written instanceof Promise) written.catch(error => abandon(call, error))
    } catch (error) {
      abandon(call, error)
    }
  }

  function write(call: Call, { status, headers, body, isAscii = false }: Answer, all: string[], refusal?: Refusal) {
    const { request, response } = call
    const connection = connectionOf(request.socket)
    if (isStopping() && connection.newest?.request === request) response.shouldKeepAlive = false
    // What follows it could be in the other protocol: Node's parser reads no further in the packet that such a request ends in.
    if (asksForUpgrade(request)) response.shouldKeepAlive = false
    all.push(...ON_EVERY_ANSWER, 'X-Request-Id', call.requestId, ...call.pathHeaders, ...headers)
    response.writeHead(status, all)
    // Known only now: Node ends a connection, too, on which a body was announced and not asked for.
    if (!response.shouldKeepAlive) connection.endAfterAnswer()
    if (request.method === 'HEAD') response.end()
    else response.end(body, isAscii ? 'latin1' : 'utf8')
    onAnswered(call, status, refusal)
  }

  /** What cannot be answered is cut off. */
  function abandon(call: Call, error: unknown): void {
    log.error({ err: error, requestId: call.requestId }, 'a call could not be answered')
    call.request.socket.destroy()
    if (!call.response.headersSent) onAnswered(call, undefined)
  }

  /** The client is gone. What it had counted is logged all the same. */
  function leaveUnanswered(call: Call): void {
    if (call.isAnswered) return
    call.isAnswered = true
    onAnswered(call, undefined)
  }

  /** What the parser could not read, or waited for too long: the start of a call, or the rest of one that has begun. */
  function refuseUnread(connection: Connection, refusal: Refusal): void {
    const { newest } = connection
    if (!newest || newest.request.complete) connection.afterNewest(() => refuseConnection(connection, refusal))
    else if (newest.call) refuseRest(newest.call, refusal)
    else newest.refusal = refusal
  }

  /** Refuses a call whose body broke off or broke down. */
  function refuseRest(call: Call, refusal: Refusal): void {
    // Nothing behind it can be read.
    call.response.shouldKeepAlive = false
    if (call.response.headersSent) connectionOf(call.request.socket).end()
    else if (call.isAnswered) return
    else if (call.decision) refuse(call, refusal)
    else if (call.counting) refuseWhenCounted(call, call.counting, refusal)
    else meetUnread(call.request, refusal, call.now, met => refuse(call, met.refusal))
  }

  /** The call is counted already, and only once; if it is refused for that, so be it. */
  function refuseWhenCounted(call: Call, counting: Promise<unknown>, refusal: Refusal): void {
    counting.then(
      () => refuse(call, refusal),
      () => {},
    )
  }

  function refuseConnection(connection: Connection, refusal: Refusal, requestHeaders: IncomingHttpHeaders = {}): void {
    const time = now()
    const sender = { socket: connection.socket, headers: requestHeaders }
    const requestId = requestIdOf(requestHeaders['x-request-id'])
    meetUnread(sender, refusal, time, ({ refusal: shown, headers: common }) => {
      const { status, headers, body } = refusalAnswer(shown)
      connection.endWith(status, [...common, ...ON_EVERY_ANSWER, 'X-Request-Id', requestId, ...headers], body)
      log.info({ requestId, status, code: shown.code }, 'connection refused')
      onUnread(shown)
    })
  }

  function meetUnread(sender: Sender, refusal: Refusal, time: number, next: (met: Unread) => void): void {
    const fail = (error: unknown) => {
      log.error({ err: error }, 'a connection could not be refused')
      sender.socket.destroy()
    }
    try {
      const met = whenReady(surface.meetUnread(sender, refusal, time), next)
      if (met instanceof Promise) met.catch(fail)
    } catch (error) {
      fail(error)
    }
  }
}

const ON_EVERY_ANSWER = ['X-Content-Type-Options', 'nosniff']

function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /\bupgrade\b/i.test(headers.connection ?? '')
}

/** Whether a refusal leaves the connection where no further call can begin, or could only after a body not worth waiting for. */
function endsConnection({ request }: Call, { code }: Refusal): boolean {
  if (code === 'malformed_request' || code === 'request_timeout') return true
  // A sender that was not told to continue may or may not send its body: what comes next cannot be told apart.
  return !request.complete && (code === 'body_too_large' || request.headers.expect !== undefined)
}
