import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Logger } from 'pino'
import type { Overload } from '../domain/overload.ts'
import { type Answer, preparedAnswer } from './answer.ts'
import { type Awaitable, whenReady } from './awaitable.ts'
import { ClientGone } from './body.ts'
import type { Call, Sender } from './call.ts'
import { CallQueue } from './call-queue.ts'
import { type Connection, connectionOf, type Exchange } from './connection.ts'
import { headersIn, linesOf, preparedLinesOf } from './header-lines.ts'
import type { Listener } from './listener.ts'
import { endAfter } from './node-seams.ts'
import { type ParserError, refusalOfParserError } from './parser-refusals.ts'
import { allowsPreparedHead, buildHeadEnd, writePreparedHead } from './prepared-head.ts'
import { Refusal, refusalAnswer, refusalOf } from './refusal.ts'
import { requestIdOf } from './request-headers.ts'
import { isEncrypted } from './tls-handshakes.ts'

/** The API behind a listener: the public one or the operators' one. */
export interface Api<OwnCall extends Call> {
  readonly Call: new (...of: ConstructorParameters<typeof Call>) => OwnCall
  /** @throws Refusal */
  answer(call: OwnCall): Awaitable<Answer>
  /** The header lines of every answer. This module and the answer add their own. */
  linesOf(call: OwnCall): Awaitable<string>
  /**
   * Collects what is needed to refuse a call that has not been looked at, without waiting for anything. Returns false if its head is not
   * valid: that is then the reason for the refusal, because the bytes after it may not be a call. Only an API that can be overloaded needs
   * this.
   */
  readHead?(call: OwnCall): boolean
  /**
   * Refuses a call whose body will never be complete, with this or another refusal, before its operation answers. Does nothing if the call
   * is already being refused for another reason.
   */
  onIncomplete(call: OwnCall, refusal: Refusal, refuse: (final: Refusal) => void): Awaitable<void>
  /** The answer to bytes that are not a call: this or another refusal, and the header lines of every answer. */
  onUnparsed(sender: Sender, refusal: Refusal, now: number): Awaitable<Unparsed>
}

interface Unparsed {
  refusal: Refusal
  lines: string
}

/**
 * Receives every call once, when it has been answered. The status is undefined if the client disconnected before that. If an error cuts
 * off a streamed answer, the status and the refusal are those of the error.
 */
export type OnAnswered<OwnCall extends Call = Call> = (
  call: OwnCall,
  status: number | undefined,
  refusal?: Refusal,
) => void

interface Dependencies<OwnCall extends Call> {
  api: Api<OwnCall>
  log: Logger
  onAnswered: OnAnswered<OwnCall>
  /** Receives the refusal of every connection that is closed because of bytes that are not a call. */
  onConnectionRefused?(refusal: Refusal): void
  /** Whether clients should reconnect elsewhere: every answer then ends its connection. */
  isStopping(): boolean
  /** If given, calls are queued, and excess calls are refused during an overload. */
  overload?: Overload
  /** For how many seconds browsers must use only HTTPS; 0 to send no such header. */
  hstsSeconds?: number
  now(): number
}

/** Answers everything that arrives. All answers leave through one function, so none lacks the common headers. */
export function serveCalls<OwnCall extends Call>(listener: Listener, dependencies: Dependencies<OwnCall>): void {
  const { api, log, onAnswered, onConnectionRefused = () => {}, isStopping, hstsSeconds = 0, now } = dependencies
  const { overload } = dependencies
  const overTls = preparedLinesOf([...ON_EVERY_ANSWER, 'Strict-Transport-Security', `max-age=${hstsSeconds}`])
  const { server } = listener
  const headEnd = buildHeadEnd(server.keepAliveTimeout)
  const queue =
    overload &&
    new CallQueue<Exchange>(overload, {
      begin,
      refuse: (exchange, startedAt) => begin(exchange, startedAt, refuseUnread),
    })
  server.on('request', accept)
  server.on('checkContinue', accept)
  server.on('checkExpectation', accept)
  server.on('connect', (request: IncomingMessage, stream: Duplex) => {
    // Node may pass a separate stream in addition to the socket; its errors are the socket's.
    stream.on('error', () => {})
    const connection = connectionOf(request.socket)
    connection.stopReading()
    const refusal = new Refusal('method_not_supported')
    connection.afterNewest(() => refuseConnection(connection, refusal, request.headers))
  })
  server.on('clientError', (error: ParserError, socket: Socket) => {
    const connection = connectionOf(socket)
    // Node reports this once per request, and does nothing else.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && hasTime(connection)) return
    // Bytes after the last answer are also an error, but must not cut off that answer.
    if (!connection.stopReading()) return
    if (socket.writable) refuseUnparsed(connection, refusalOfParserError(error))
    else socket.destroy()
  })

  function accept(request: IncomingMessage, response: ServerResponse): void {
    const exchange: Exchange = { request, response, arrivedAt: 0, call: undefined, refusal: undefined }
    connectionOf(request.socket).add(exchange, () => {
      exchange.arrivedAt = now()
      if (queue) queue.add(exchange)
      else begin(exchange, performance.now())
    })
  }

  function begin(exchange: Exchange, startedAt: number, proceed = carryOut): void {
    const { request, response, arrivedAt, refusal } = exchange
    const call = new api.Call(request, response, requestIdOf(request.headers['x-request-id']), arrivedAt, startedAt)
    exchange.call = call
    // The client may have disconnected while its call was queued.
    if (request.socket.destroyed) leaveUnanswered(call)
    else if (refusal) refuseIncomplete(call, refusal)
    else proceed(call)
  }

  /** Refuses a call without looking at anything: not its key, its limits or its body. */
  function refuseUnread(call: OwnCall): void {
    if (api.readHead?.(call) === false) carryOut(call)
    else {
      overload?.refused()
      send(call, OVERLOADED_ANSWER, OVERLOADED)
    }
  }

  function carryOut(call: OwnCall): void {
    try {
      const answer = api.answer(call)
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

  function fail(call: OwnCall, error: unknown): void {
    if (error instanceof ClientGone) leaveUnanswered(call)
    else refuse(call, error)
  }

  function refuse(call: OwnCall, error: unknown): void {
    const refusal = refusalOf(error)
    const isOurFault = refusal !== error && refusal.status >= 500
    if (isOurFault) log.error({ err: error, requestId: call.requestId }, 'a call failed')
    if (endsConnection(call, refusal)) endAfter(call.response)
    try {
      send(call, refusalAnswer(refusal), refusal)
    } catch (error) {
      abandon(call, error)
    }
  }

  function send(call: OwnCall, answer: Answer, refusal?: Refusal): void {
    if (call.isAnswered) {
      leaveUnsent(answer)
      return
    }
    call.isAnswered = true
    try {
      const written = whenReady(api.linesOf(call), lines => write(call, answer, lines, refusal))
      if (written instanceof Promise) written.catch(error => abandon(call, error, answer))
    } catch (error) {
      abandon(call, error, answer)
    }
  }

  function write(
    call: OwnCall,
    { status, headers, body, isLatin1 = false, lines }: Answer,
    linesOfApi: string,
    refusal?: Refusal,
  ): void {
    const { request, response } = call
    const connection = connectionOf(request.socket)
    if (isStopping() && connection.newest?.request === request) endAfter(response)
    // The following bytes could be in the other protocol: Node's parser does not read the rest of the packet that ends such a request.
    if (asksForUpgrade(request)) endAfter(response)
    // HTTP/1.0 has no chunks: the end of the connection marks the end of the answer.
    if (body instanceof Readable && request.httpVersion === '1.0') endAfter(response)
    const common = `${linesOfApi}${linesFor(request.socket)}X-Request-Id: ${call.requestId}\r\n${call.pathLines}`
    if (lines !== undefined && allowsPreparedHead(call)) {
      writePreparedHead(response, status, common + lines, headEnd())
    } else {
      response.writeHead(status, [...headersIn(common), ...headers])
      // Known only now: Node also ends a connection if a body was announced but never requested.
      if (!response.shouldKeepAlive) connection.endAfterAnswer()
    }
    if (body instanceof Readable) {
      void stream(call, status, body)
      return
    }
    if (request.method === 'HEAD') response.end()
    else response.end(body, isLatin1 ? 'latin1' : 'utf8')
    onAnswered(call, status, refusal)
  }

  async function stream(call: OwnCall, status: number, body: Readable): Promise<void> {
    const { request, response } = call
    try {
      if (request.method === 'HEAD') {
        body.destroy()
        response.end()
      } else {
        // The first chunk may take a while.
        response.flushHeaders()
        await pipeline(body, response)
      }
      onAnswered(call, status)
      // The service may have started to stop after the headers were sent.
      const connection = connectionOf(request.socket)
      if (isStopping() && connection.newest?.request === request) connection.end()
    } catch (error) {
      // A missing last chunk shows the client that the answer is incomplete.
      request.socket.destroy()
      if (isPremature(error)) onAnswered(call, undefined)
      else {
        const refusal = refusalOf(error)
        if (refusal !== error) log.error({ err: error, requestId: call.requestId }, 'a response was cut off')
        onAnswered(call, refusal.status, refusal)
      }
    }
  }

  /** Browsers ignore the header on plain HTTP, where anyone could have added it. */
  function linesFor(socket: Socket): string {
    return hstsSeconds > 0 && isEncrypted(socket) ? overTls : LINES_OF_EVERY_ANSWER
  }

  /** Ends the connection of a call that cannot be answered. */
  function abandon(call: OwnCall, error: unknown, answer?: Answer): void {
    if (answer) leaveUnsent(answer)
    log.error({ err: error, requestId: call.requestId }, 'a call could not be answered')
    call.isAnswered = true
    call.request.socket.destroy()
    if (!call.response.headersSent) onAnswered(call, undefined)
  }

  /** The client has disconnected. The call is still logged. */
  function leaveUnanswered(call: OwnCall): void {
    if (call.isAnswered) return
    call.isAnswered = true
    onAnswered(call, undefined)
  }

  /** Refuses what the parser could not read or waited too long for: the start of a call, or the rest of one. */
  function refuseUnparsed(connection: Connection, refusal: Refusal): void {
    const { newest } = connection
    if (!newest || newest.request.complete) connection.afterNewest(() => refuseConnection(connection, refusal))
    else if (newest.call) refuseIncomplete(newest.call as OwnCall, refusal)
    else newest.refusal = refusal
  }

  function refuseIncomplete(call: OwnCall, refusal: Refusal): void {
    // Nothing after it can be read.
    endAfter(call.response)
    if (call.response.headersSent) connectionOf(call.request.socket).end()
    else if (!call.isAnswered) settle(call.request, () => api.onIncomplete(call, refusal, final => refuse(call, final)))
  }

  function refuseConnection(connection: Connection, refusal: Refusal, requestHeaders: IncomingHttpHeaders = {}): void {
    const sender = { socket: connection.socket, headers: requestHeaders }
    const requestId = requestIdOf(requestHeaders['x-request-id'])
    const next = ({ refusal: final, lines: linesOfApi }: Unparsed) => {
      const { status, headers, body } = refusalAnswer(final)
      const common = `${linesOfApi}${linesFor(sender.socket)}X-Request-Id: ${requestId}\r\n`
      connection.endWith(status, common + linesOf(headers), body)
      log.info({ requestId, status, code: final.code }, 'connection refused')
      onConnectionRefused(final)
    }
    settle(sender, () => whenReady(api.onUnparsed(sender, refusal, now()), next))
  }

  /** Begins the work at once. */
  function settle({ socket }: Sender, work: () => Awaitable<unknown>): void {
    Promise.try(work).catch(error => {
      log.error({ err: error }, 'a connection could not be refused')
      socket.destroy()
    })
  }
}

/** Releases what the body of an answer holds, such as an open file. */
function leaveUnsent({ body }: Answer): void {
  if (body instanceof Readable) body.destroy()
}

/** Whether the data arriving on a connection is a body with no limit on its total time. */
function hasTime({ newest }: Connection): boolean {
  return newest?.call?.isBodyStreamed === true && !newest.request.complete
}

/** Whether the client disconnected before the end of its answer. */
function isPremature(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
}

/** Shared by all calls: this answer must be the cheapest of all. */
const OVERLOADED = new Refusal('overloaded')
const OVERLOADED_ANSWER = preparedAnswer(refusalAnswer(OVERLOADED))

const ON_EVERY_ANSWER = ['X-Content-Type-Options', 'nosniff']
const LINES_OF_EVERY_ANSWER = preparedLinesOf(ON_EVERY_ANSWER)

function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /\bupgrade\b/i.test(headers.connection ?? '')
}

/**
 * Whether no further call can begin after a refusal, or only after a body that is not worth waiting for, or better on another instance: behind
 * a load balancer, a client would otherwise stay on the one that has lost its store.
 */
function endsConnection({ request }: Call, { code }: Refusal): boolean {
  if (code === 'malformed_request' || code === 'request_timeout' || code === 'service_unavailable') return true
  // A client that received no 100 Continue may or may not send its body, so the next bytes could be either a body or a call.
  return !request.complete && (code === 'body_too_large' || request.headers.expect !== undefined)
}
