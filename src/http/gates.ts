import { Refusal } from '../domain/errors.ts'
import type { RateLimiter } from '../domain/rate-limiter.ts'
import { admitAnonymous, admitCaller } from './admit.ts'
import type { AnonymousCalls } from './anonymous-calls.ts'
import type { Authenticate } from './authenticate.ts'
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
export async function passGates(call: Call, gates: Gates): Promise<Answer> {
  const { request } = call
  const method = request.method ?? ''
  const target = parse(call, gates.anonymous)
  const found = gates.findRoute(target.path)
  const operation = found && operationOf(found.route, method)
  call.target = target
  call.operation = operation?.id
  call.pathHeaders = found?.route.headers ?? []

  if (method === 'OPTIONS' && (found || target.path === '*')) return optionsAnswer(found)
  if (isUnderVersion(target.path)) await admitHolder(call, gates)
  else admitAnonymous(call, gates.anonymous)
  if (!found) throw new Refusal('route_not_found', 'Nothing is at this path; the API is described at /docs.')
  if (!operation) {
    const allow = allowedMethods(found.route)
    throw new Refusal('method_not_allowed', `This path allows ${allow}.`, { headers: { Allow: allow } })
  }
  operation.checkMediaType?.(call)
  return operation.handle(call, found.parameter)
}

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
    if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
      throw new Refusal('expectation_failed', 'The only expectation that is met here is 100-continue.')
    }
    return parseTarget(url)
  } catch (refusal) {
    admitAnonymous(call, anonymous)
    throw refusal
  }
}

async function admitHolder(call: Call, { authenticate, limiter, anonymous }: Gates): Promise<void> {
  try {
    call.caller = await authenticate(call.request, call.now)
  } catch (refusal) {
    if (refusal instanceof Refusal) admitAnonymous(call, anonymous)
    throw refusal
  }
  await admitCaller(call, call.caller, limiter)
}

function optionsAnswer(found: FoundRoute | undefined): Answer {
  const allow = found ? allowedMethods(found.route) : 'GET, HEAD, POST, OPTIONS'
  return { status: 204, headers: ['Allow', allow], body: '' }
}
