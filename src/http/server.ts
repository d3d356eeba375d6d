import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { Refusal } from '../domain/errors.ts'
import { type Awaitable, whenReady } from './awaitable.ts'
import { ClientGone } from './body.ts'
import type { Answer, Call, Sender } from './call.ts'
import { refusalAnswer, refusalOf } from './errors.ts'
import { endWith, lingerAfterAnswer, type ParserError, refusalOfParserError } from './parser-refusals.ts'
import { requestIdOf } from './request-id.ts'

/** What a listener serves: the public API is one, the operators' side another. */
export interface Surface {
  /**
   * Carries a call out.
   * @throws Refusal
   */
  answer(call: Call): Awaitable<Answer>
  /** The headers that every answer has, besides its own and `X-Request-Id`, as name, value, name, value … */
  headersOf(call: Call): Awaitable<string[]>
  /** What becomes of a sender whose bytes are no complete call: the refusal that it gets, perhaps another one, and the headers beside it. */
  meetUnread(sender: Sender, refusal: Refusal, now: number): Awaitable<Unread>
}

interface Unread {
  refusal: Refusal
  headers: string[]
}

/** Is told of every call when it has been answered. Without a status, the client was gone before it could be. */
export type OnAnswered = (call: Call, status: number | undefined, refusal?: Refusal) => void

interface Dependencies {
  surface: Surface
  log: Logger
  onAnswered: OnAnswered
  /** Is told of every connection that is ended for bytes that are no call. */
  onUnread?(refusal: Refusal): void
  /** Whether clients are to move on: every answer then ends its connection. */
  isStopping(): boolean
  now(): number
}

/** A connection remembers its newest call, to which what cannot be parsed next may belong. */
const NEWEST_CALL = Symbol('newest call')
/** On a connection whose bytes cannot be read any more: each further packet would be told as the same error again. */
const IS_UNREADABLE = Symbol('is unreadable')

interface CallingSocket extends Socket {
  [NEWEST_CALL]?: Call
  [IS_UNREADABLE]?: true
}

/** Answers whatever arrives; there is one exit, so that every answer has the headers that every answer has. */
export function serveCalls(server: Server, dependencies: Dependencies): void {
  const { surface, log, onAnswered, onUnread = () => {}, isStopping, now } = dependencies
  server.on('request', accept)
  server.on('checkContinue', accept)
  server.on('checkExpectation', accept)
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    refuseUnread(socket, new Refusal('malformed_request', 'This is no proxy: CONNECT is not served.'), request.headers)
  })
  server.on('clientError', (error: ParserError, socket: CallingSocket) => {
    if (error.code !== 'ECONNRESET' && socket[IS_UNREADABLE]) return
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    socket[IS_UNREADABLE] = true
    // Node would end the connection with its sender, who may still read the answer.
    socket.removeAllListeners('end')
    refuseUnread(socket, refusalOfParserError(error))
  })

  function accept(request: IncomingMessage, response: ServerResponse): void {
    const call = begin(request, response)
    try {
      const answer = surface.answer(call)
      if (answer instanceof Promise) answer.then(ready => send(call, ready)).catch(error => fail(call, error))
      else send(call, answer)
    } catch (error) {
      fail(call, error)
    }
  }

  function fail(call: Call, error: unknown): void {
    if (error instanceof ClientGone) onAnswered(call, undefined)
    else refuse(call, error)
  }

  function begin(request: IncomingMessage, response: ServerResponse): Call {
    const call: Call = {
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
    ;(request.socket as CallingSocket)[NEWEST_CALL] = call
    return call
  }

  function refuse(call: Call, error: unknown): void {
    const refusal = refusalOf(error)
    if (refusal !== error) log.error({ err: error, requestId: call.requestId }, 'a call failed')
    if (endsConnection(call, refusal)) call.response.shouldKeepAlive = false
    send(call, refusalAnswer(refusal), refusal)
  }

  function send(call: Call, { status, headers, body, isAscii = false }: Answer, refusal?: Refusal): void {
    if (call.isAnswered) return
    call.isAnswered = true
    const { request, response } = call
    const written = whenReady(surface.headersOf(call), all => {
      if (isStopping()) response.shouldKeepAlive = false
      if (!response.shouldKeepAlive && !request.complete) lingerAfterAnswer(request.socket)
      all.push('X-Request-Id', call.requestId, ...call.pathHeaders, ...headers)
      response.writeHead(status, all)
      if (request.method === 'HEAD') response.end()
      else response.end(body, isAscii ? 'latin1' : 'utf8')
      onAnswered(call, status, refusal)
    })
    if (written instanceof Promise) written.catch(error => abandon(request.socket, error))
  }

  /** What cannot even be refused is cut off. */
  function abandon(socket: Socket, error: unknown): void {
    log.error({ err: error }, 'an answer could not be given')
    socket.destroy()
  }

  /** What the parser could not read, or waited for too long: the start of a call, or the rest of one that has begun. */
  function refuseUnread(socket: Socket, refusal: Refusal, headers: IncomingHttpHeaders = {}): void {
    const call = (socket as CallingSocket)[NEWEST_CALL]
    if (call?.isAnswered && !call.response.headersSent) call.response.shouldKeepAlive = false
    else if (call?.isAnswered && !call.request.complete) socket.destroySoon()
    else if (!call || call.response.writableFinished) refuseConnection(socket, refusal, headers)
    else if (call.request.complete) call.response.once('finish', () => refuseConnection(socket, refusal, headers))
    else if (call.decision) refuse(call, refusal)
    else if (call.counting) refuseWhenCounted(call, call.counting, refusal)
    else meetUnread(call.request, refusal, call.now, met => refuse(call, met.refusal))
  }

  /** The call is counted already, and only once; if it is refused for that, so be it. */
  function refuseWhenCounted(call: Call, counting: Promise<unknown>, refusal: Refusal): void {
    call.response.shouldKeepAlive = false
    counting.then(
      () => refuse(call, refusal),
      () => {},
    )
  }

  function refuseConnection(socket: Socket, refusal: Refusal, requestHeaders: IncomingHttpHeaders): void {
    const time = now()
    const sender = { socket, headers: requestHeaders }
    const requestId = requestIdOf(requestHeaders['x-request-id'])
    meetUnread(sender, refusal, time, ({ refusal: shown, headers: common }) => {
      const { status, headers, body } = refusalAnswer(shown)
      endWith(socket, status, [...common, 'X-Request-Id', requestId, ...headers], body)
      log.info({ requestId, status, code: shown.code }, 'connection refused')
      onUnread(shown)
    })
  }

  function meetUnread(sender: Sender, refusal: Refusal, time: number, next: (met: Unread) => void): void {
    const met = whenReady(surface.meetUnread(sender, refusal, time), next)
    if (met instanceof Promise) met.catch(error => abandon(sender.socket, error))
  }
}

/** Whether a refusal leaves the connection where no further call can begin, or could only after a body not worth waiting for. */
function endsConnection({ request }: Call, { code }: Refusal): boolean {
  if (code === 'malformed_request' || code === 'request_timeout') return true
  // A sender that was not told to continue may or may not send its body: what comes next cannot be told apart.
  return !request.complete && (code === 'body_too_large' || request.headers.expect !== undefined)
}
