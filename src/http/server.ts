import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { Refusal } from '../domain/errors.ts'
import { logCall } from './access-log.ts'
import { admitAnonymous, refusalUnlessAdmitted } from './admit.ts'
import { ClientGone } from './body.ts'
import type { Answer, Call } from './call.ts'
import { refusalAnswer, refusalOf } from './errors.ts'
import { type Gates, passGates } from './gates.ts'
import { limitHeaders } from './headers.ts'
import { endWith, type ParserError, refusalOfParserError } from './parser-refusals.ts'
import { requestIdOf } from './request-id.ts'

/** How long a client may take. */
export interface Timeouts {
  /** For the headers, from the first byte of the connection or the end of the call before. */
  headersMs: number
  /** For the whole request. */
  requestMs: number
  /** How long a connection may stay open between two calls. */
  keepAliveMs: number
  /** How often slow clients are looked for. */
  checkEveryMs: number
}

export const TIMEOUTS: Timeouts = { headersMs: 10_000, requestMs: 20_000, keepAliveMs: 65_000, checkEveryMs: 1_000 }

const LARGEST_HEADERS = 16_384

/** The listener, deaf until `serveCalls` is called with it. */
export function buildListener(timeouts: Timeouts): Server {
  return createServer({
    maxHeaderSize: LARGEST_HEADERS,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: timeouts.checkEveryMs,
    // Node would answer a missing Host by itself, without our headers.
    requireHostHeader: false,
  })
}

interface Dependencies extends Gates {
  cors(request: IncomingMessage): readonly string[]
  log: Logger
  now(): number
}

/** Answers whatever arrives; there is one exit, so that every answer has the headers that every answer has. */
export function serveCalls(server: Server, dependencies: Dependencies): void {
  const { anonymous, cors, log, now } = dependencies
  /** The newest call of each connection. */
  const calls = new WeakMap<Duplex, Call>()

  server.on('request', accept)
  server.on('checkContinue', accept)
  server.on('checkExpectation', accept)
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    refuseUnread(socket, new Refusal('malformed_request', 'This is no proxy: CONNECT is not served.'), request.headers)
  })
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else refuseUnread(socket, refusalOfParserError(error))
  })

  async function accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = begin(request, response)
    try {
      send(call, await passGates(call, dependencies))
    } catch (error) {
      if (error instanceof ClientGone) logCall(log, call, undefined)
      else refuse(call, error)
    }
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
      decision: undefined,
      isAnswered: false,
    }
    calls.set(request.socket, call)
    return call
  }

  function refuse(call: Call, error: unknown): void {
    const refusal = refusalOf(error)
    if (refusal !== error) log.error({ err: error, requestId: call.requestId }, 'a call failed')
    if (refusal.code === 'malformed_request' || !call.request.complete) call.response.shouldKeepAlive = false
    send(call, refusalAnswer(refusal), refusal)
  }

  /** A refusal that no gate has counted. */
  function refuseUncounted(call: Call, refusal: Refusal): void {
    try {
      admitAnonymous(call, anonymous)
      refuse(call, refusal)
    } catch (overLimit) {
      refuse(call, overLimit)
    }
  }

  function send(call: Call, { status, headers, body }: Answer, refusal?: Refusal): void {
    if (call.isAnswered) return
    call.isAnswered = true
    const { request, response } = call
    const decision = call.decision ?? anonymous.peek(request, call.now)
    if (!server.listening) response.shouldKeepAlive = false
    response.writeHead(status, [
      ...limitHeaders(decision, call.now),
      'X-Request-Id',
      call.requestId,
      ...call.pathHeaders,
      ...cors(request),
      ...headers,
    ])
    response.end(request.method === 'HEAD' ? '' : body)
    logCall(log, call, status, refusal)
  }

  /** What the parser could not read, or waited for too long: the start of a call, or the rest of one that has begun. */
  function refuseUnread(socket: Socket, refusal: Refusal, headers: IncomingHttpHeaders = {}): void {
    const call = calls.get(socket)
    if (!call || call.response.writableFinished) refuseConnection(socket, refusal, headers)
    else if (call.request.complete) call.response.once('finish', () => refuseConnection(socket, refusal, headers))
    else if (call.isAnswered) socket.destroy()
    else if (call.decision) refuse(call, refusal)
    else refuseUncounted(call, refusal)
  }

  function refuseConnection(socket: Socket, refusal: Refusal, requestHeaders: IncomingHttpHeaders): void {
    const time = now()
    const decision = anonymous.consume({ socket, headers: requestHeaders }, time)
    const requestId = requestIdOf(requestHeaders['x-request-id'])
    const shown = refusalUnlessAdmitted(decision, time) ?? refusal
    const { status, headers, body } = refusalAnswer(shown)
    endWith(socket, status, [...limitHeaders(decision, time), 'X-Request-Id', requestId, ...headers], body)
    log.info({ requestId, status, code: shown.code }, 'connection refused')
  }
}
