import { Refusal } from '../domain/errors.ts'
import type { RateLimiter } from '../domain/rate-limiter.ts'
import { admitAnonymous, admitCaller } from './admit.ts'
import type { AnonymousCalls } from './anonymous-calls.ts'
import type { Authenticate } from './authenticate.ts'
import { type Awaitable, whenReady } from './awaitable.ts'
import type { Answer, Call } from './call.ts'
import { countHeader } from './headers.ts'
import { allowedMethods, type FoundRoute, operationOf } from './routes.ts'
import { isUnderVersion, parseTarget, type Target } from './target.ts'

export interface Gates {
  findRoute(path: string): FoundRoute | undefined
  authenticate: Authenticate
  limiter: RateLimiter
  anonymous: AnonymousCalls
}

/**
 * Every call passes these gates, in this order (contract, "Every answer", 5): parse, OPTIONS, authenticate, ban and quota, route,
 * method, media type; size, JSON, schema and idempotency follow in the operation.
 * @throws Refusal by the first gate that stays shut
 */
export function passGates(call: Call, gates: Gates): Awaitable<Answer> {
  const { request } = call
  const method = request.method ?? ''
  const target = parse(call, gates.anonymous)
  const found = gates.findRoute(target.path)
  const operation = found && operationOf(found.route, method)
  call.target = target
  call.operation = operation?.id
  call.pathHeaders = found?.route.headers ?? NO_HEADERS

  if (method === 'OPTIONS' && (found || target.path === '*')) return optionsAnswer(found)
  return whenReady(
    isUnderVersion(target.path) ? admitHolder(call, gates) : admitAnonymous(call, gates.anonymous),
    () => {
      if (!found) throw new Refusal('route_not_found', 'Nothing is at this path; the API is described at /docs.')
      if (!operation) {
        const allow = allowedMethods(found.route)
        throw new Refusal('method_not_allowed', `This path allows ${allow}.`, { headers: { Allow: allow } })
      }
      operation.checkMediaType?.(call)
      return operation.handle(call, found.parameter)
    },
  )
}

const NO_HEADERS: readonly string[] = []

/** The characters of a host and a port (RFC 3986, section 3.2.2). */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/

/** What Node's parser lets through and HTTP forbids (RFC 9110, 9112). Such calls count like any that bring no key. */
function parse(call: Call, anonymous: AnonymousCalls): Target {
  const { headers, httpVersion, url = '' } = call.request
  try {
    if (httpVersion !== '1.1' && httpVersion !== '1.0') {
      throw new Refusal('malformed_request', 'The request must be HTTP/1.1.')
    }
    const hosts = countHeader(call.request, 'host')
    if (hosts > 1 || (hosts === 0 && httpVersion === '1.1') || !HOST.test(headers.host ?? '')) {
      throw new Refusal(
        'malformed_request',
        'The request must have exactly one Host header, with a host and perhaps a port.',
      )
    }
    if (headers['transfer-encoding'] !== undefined && !/^chunked$/i.test(headers['transfer-encoding'])) {
      throw new Refusal('malformed_request', 'The only Transfer-Encoding that is read here is chunked.')
    }
    if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
      throw new Refusal('expectation_failed', 'The only expectation that is met here is 100-continue.')
    }
    return parseTarget(url)
  } catch (refusal) {
    admitAnonymous(call, anonymous)
    throw refusal
  }
}

/** Counts the call on the account of the key's holder, or on the client's address where there is no valid key. */
function admitHolder(call: Call, { authenticate, limiter, anonymous }: Gates): Awaitable<void> {
  return whenReady(authenticate(call.request, call.now), caller => {
    if (caller instanceof Refusal) {
      admitAnonymous(call, anonymous)
      throw caller
    }
    call.caller = caller
    return admitCaller(call, caller, limiter)
  })
}

function optionsAnswer(found: FoundRoute | undefined): Answer {
  const allow = found ? allowedMethods(found.route) : 'GET, HEAD, POST, OPTIONS'
  return { status: 204, headers: ['Allow', allow], body: '' }
}
