import type { AddressLimiter, Decision, RateLimiter } from '../domain/rate-limiter.ts'
import type { AccountStore } from '../domain/store/accounts.ts'
import type { AnimalStore } from '../domain/store/animals.ts'
import type { ClaimLinkStore } from '../domain/store/claim-links.ts'
import type { Answer } from '../http/answer.ts'
import { type Awaitable, whenReady } from '../http/awaitable.ts'
import type { Sender } from '../http/call.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { Refusal } from '../http/refusal.ts'
import { buildRouter, operationOf, optionsAnswer, requireOperation } from '../http/routes.ts'
import type { Api } from '../http/server.ts'
import { readTarget, type Target } from '../http/target.ts'
import { isEncrypted } from '../http/tls-handshakes.ts'
import { admit, refusalUnlessAdmitted } from './admit.ts'
import { buildAuthentication } from './authenticate.ts'
import { PublicCall } from './call.ts'
import { claimRoute } from './claim.ts'
import { buildCors } from './cors.ts'
import { limitLines } from './limit-headers.ts'
import { buildPermittedWrite } from './permitted-write.ts'
import { answerPlainHttp } from './plain-http.ts'
import { isFree, METHODS, needsKey, publicRoutes } from './routes.ts'
import { buildPublicSite, type PublicAddresses } from './site.ts'
import { buildStrangers } from './strangers.ts'

interface Dependencies extends PublicAddresses {
  store: AnimalStore & AccountStore & ClaimLinkStore
  limiter: RateLimiter
  /** Counts calls without a valid key, by client network. */
  addresses: AddressLimiter
  clientAddress: ClientAddress
  corsOrigins: readonly string[]
  /** Whether calls must be encrypted, because the listener speaks HTTPS. */
  isHttps: boolean
  /** The folder where certbot or acme.sh puts proofs for certificate authorities, which request them over plain HTTP. */
  acmeFolder?: string | undefined
  now(): number
}

/** The public API: every call passes the gates, and every answer says how many calls are left. */
export function buildPublicApi(dependencies: Dependencies): Api<PublicCall> {
  const { store, deployment, publicUrls, limiter, addresses, clientAddress, corsOrigins } = dependencies
  const { isHttps, acmeFolder, now } = dependencies
  const plainHttp = { publicUrl: publicUrls[deployment], acmeFolder }
  const pages = buildPublicSite(dependencies)
  const strangers = buildStrangers(addresses, clientAddress)
  const { sourceOf } = strangers
  const authentication = buildAuthentication(store, deployment, clientAddress, strangers)
  const permittedWrite = buildPermittedWrite(authentication, now)
  const routes = publicRoutes({ ...dependencies, permittedWrite })
  const findRoute = buildRouter([...routes, claimRoute(dependencies), ...pages.routes])
  const cors = buildCors(corsOrigins)

  /**
   * The gates, in the order of the contract ("Every response"): parse, HTTPS, OPTIONS, authenticate, ban and quota, route, method. The
   * operation continues with scope, media type, size, JSON, schema and idempotency.
   */
  function answer(call: PublicCall): Awaitable<Answer> {
    let target: Target
    try {
      target = readTarget(call.request)
    } catch (error) {
      // A call that cannot be parsed counts like one without a key.
      return whenReady(counted(call, admitAnonymous(call)), () => {
        throw error
      })
    }
    call.target = target
    if (isHttps && !isEncrypted(call.request.socket)) {
      return whenReady(counted(call, admitAnonymous(call)), () => answerPlainHttp(call, target, plainHttp))
    }
    const method = call.request.method ?? ''
    const found = findOperation(call, target)
    if (method === 'OPTIONS' && (found || target.path === '*')) return optionsAnswer(found?.route, METHODS)
    if (found && isFree(target.path)) return requireOperation(found.route, method).handle(call, ...found.parameters)
    return whenReady(counted(call, needsKey(target.path) ? admitCaller(call) : admitAnonymous(call)), () => {
      if (!found) return refuseUnknown(call, target.path)
      return requireOperation(found.route, method).handle(call, ...found.parameters)
    })
  }

  function findOperation(call: PublicCall, { path }: Target) {
    const found = findRoute(path)
    if (found) {
      call.operation = operationOf(found.route, call.request.method ?? '')?.id
      call.pathLines = found.lines
    }
    return found
  }

  /** @throws Refusal route_not_found; outside of the API, it may be a page */
  async function refuseUnknown(call: PublicCall, path: string): Promise<never> {
    throw needsKey(path) ? new Refusal('route_not_found') : await pages.notFound(call)
  }

  /** Counts the call for the account of its key, or for the client's network if the key is not valid. */
  function admitCaller(call: PublicCall): Awaitable<void> {
    return whenReady(authentication.authenticate(call), caller => {
      if (caller instanceof Refusal) {
        return whenReady(admitAnonymous(call), () => {
          throw caller
        })
      }
      call.caller = caller
      return whenReady(
        limiter.consume(caller, () => sourceOf(call.request), call.now),
        decision => admit(call, decision),
      )
    })
  }

  function admitAnonymous(call: PublicCall): Awaitable<void> {
    return whenReady(strangers.count(call), decision => admit(call, decision))
  }

  function countAnonymous(sender: Sender, now: number): Awaitable<Decision> {
    return addresses.consume(sourceOf(sender), now)
  }

  return {
    Call: PublicCall,
    answer,
    linesOf({ decision, request, now }) {
      const known = decision ?? addresses.peek(sourceOf(request), now)
      return whenReady(known, final => limitLines(final) + cors(request))
    },
    readHead(call) {
      try {
        findOperation(call, readTarget(call.request))
      } catch {
        return false
      }
      call.decision = addresses.known(sourceOf(call.request), call.now)
      return true
    },
    onIncomplete(call, refusal, refuse) {
      if (call.decision) return refuse(refusal)
      // It is counted only once. If it is not admitted, the gates refuse it.
      if (call.counting) {
        return call.counting.then(
          () => refuse(refusal),
          () => {},
        )
      }
      return whenReady(countAnonymous(call.request, call.now), decision =>
        refuse(refusalUnlessAdmitted(decision) ?? refusal),
      )
    },
    onUnparsed(sender, refusal, now) {
      return whenReady(countAnonymous(sender, now), decision => ({
        refusal: refusalUnlessAdmitted(decision) ?? refusal,
        lines: limitLines(decision),
      }))
    },
  }
}

function counted(call: PublicCall, admitted: Awaitable<void>): Awaitable<void> {
  if (admitted instanceof Promise) call.counting = admitted
  return admitted
}
