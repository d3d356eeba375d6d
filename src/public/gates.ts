import { Refusal } from '../domain/errors.ts'
import type { RateLimiter } from '../domain/rate-limiter.ts'
import { type Awaitable, whenReady } from '../http/awaitable.ts'
import type { Answer, Call } from '../http/call.ts'
import { type FoundRoute, operationOf, optionsAnswer, requireOperation } from '../http/routes.ts'
import { readTarget, type Target } from '../http/target.ts'
import { admitAnonymous, admitCaller } from './admit.ts'
import type { AnonymousCalls } from './anonymous-calls.ts'
import type { Authenticate } from './authenticate.ts'

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
  const target = parse(call)
  if (target instanceof Refusal) {
    // Calls that cannot be parsed count like any that bring no key.
    return whenReady(counted(call, admitAnonymous(call, gates.anonymous)), () => {
      throw target
    })
  }
  const method = call.request.method ?? ''
  const found = gates.findRoute(target.path)
  call.target = target
  call.operation = found && operationOf(found.route, method)?.id
  call.pathHeaders = found?.route.headers ?? NO_HEADERS

  if (method === 'OPTIONS' && (found || target.path === '*')) return optionsAnswer(found?.route, METHODS)
  return whenReady(
    counted(call, isUnderVersion(target.path) ? admitHolder(call, gates) : admitAnonymous(call, gates.anonymous)),
    () => {
      if (!found) throw new Refusal('route_not_found', 'Nothing is at this path; the API is described at /docs.')
      const operation = requireOperation(found.route, method)
      operation.checkMediaType?.(call)
      return operation.handle(call, ...found.parameters)
    },
  )
}

function counted(call: Call, admitted: Awaitable<void>): Awaitable<void> {
  if (admitted instanceof Promise) call.counting = admitted
  return admitted
}

const NO_HEADERS: readonly string[] = []
const METHODS = 'GET, HEAD, POST, OPTIONS'

function parse({ request }: Call): Target | Refusal {
  try {
    return readTarget(request)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** Whether a key is needed to call this path. */
function isUnderVersion(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/')
}

/** Counts the call on the account of the key's holder, or on the client's address where there is no valid key. */
function admitHolder(call: Call, { authenticate, limiter, anonymous }: Gates): Awaitable<void> {
  return whenReady(authenticate(call.request, call.now), caller => {
    if (caller instanceof Refusal) {
      return whenReady(admitAnonymous(call, anonymous), () => {
        throw caller
      })
    }
    call.caller = caller
    return admitCaller(call, caller, limiter)
  })
}
