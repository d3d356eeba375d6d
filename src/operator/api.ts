import { isIP } from 'node:net'
import type { AdminContext } from '../domain/administration/context.ts'
import type { Operator } from '../domain/operator.ts'
import type { PetFiles } from '../domain/pet-files.ts'
import type { RateLimiter } from '../domain/rate-limiter.ts'
import { RunningRequests } from '../domain/running-requests.ts'
import type { Answer } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { preparedLinesOf } from '../http/header-lines.ts'
import { Refusal } from '../http/refusal.ts'
import { buildRouter, type Operation, operationOf, optionsAnswer, requireOperation } from '../http/routes.ts'
import type { Api } from '../http/server.ts'
import { readTarget } from '../http/target.ts'
import { isEncrypted } from '../http/tls-handshakes.ts'
import { buildSite } from '../pages/site.ts'
import {
  type Authentication,
  actorName,
  authenticate,
  onlyForFeed,
  permitOf,
  refuseForgery,
  roleInsufficient,
} from './authenticate.ts'
import { OperatorCall } from './call.ts'
import { BUILT_CONSOLE, buildConsoleRoutes, NO_SUCH_PATH } from './console.ts'
import { Events } from './events.ts'
import { buildHealth } from './health.ts'
import { ADMIN_PATH, type AdminOperation } from './operation.ts'
import { buildOperatorRoutes, METHODS } from './routes.ts'
import type { RunningService } from './running-service.ts'

interface Dependencies extends Authentication {
  clientAddress: ClientAddress
  /** Counts the calls of the public API. */
  limiter: RateLimiter
  /** Address of this listener, for the samples on its pages. */
  url: string
  /** The host names of this listener, in addition to IP addresses and localhost. */
  hosts: readonly string[]
  metrics: { text(): Promise<string>; readonly contentType: string }
  isStopping(): boolean
  now(): number
  service: RunningService
  files: PetFiles
  /** Whether calls must be encrypted, because the listener speaks HTTPS. */
  isHttps: boolean
  consoleFolder?: URL | undefined
}

/** Admin API responses are for the caller only: no cache may store them, and pages of other sites may not embed them. */
const PRIVATE = preparedLinesOf(['Cache-Control', 'no-store', 'Cross-Origin-Resource-Policy', 'same-origin'])

/** The operators' listener: admin API, health, metrics, and their documentation. It has no API keys and no rate limits. */
export function buildOperatorApi(dependencies: Dependencies): Api<OperatorCall> {
  const { url, isHttps, consoleFolder = BUILT_CONSOLE } = dependencies
  const isOperator = (call: Call) =>
    authenticate(call, dependencies).then(
      ({ operator }) => operator.role !== 'feed',
      () => false,
    )
  const pages = buildSite({
    part: 'operator',
    values: { operators: `${url}/` },
    notFoundMessage: NO_SUCH_PATH,
  })
  const events = new Events(dependencies)
  const running = new RunningRequests()
  const routes = buildOperatorRoutes({
    serve: operation => serve(operation, { ...dependencies, events, running }),
    health: buildHealth({ ...dependencies, isOperator }),
  })
  // The built console takes the place of the page that says how to build it.
  const findRoute = buildRouter([...routes, ...pages.routes, ...buildConsoleRoutes(consoleFolder)])
  const isOwnHost = buildIsOwnHost(dependencies.hosts)

  /**
   * Checks in this order: parse, HTTPS, host, OPTIONS, authenticate, route, method. The operation then checks role, forgery, media type,
   * size, JSON and schema.
   */
  async function passGates(call: OperatorCall): Promise<Answer> {
    const method = call.request.method ?? ''
    call.target = readTarget(call.request)
    if (isHttps && !isEncrypted(call.request.socket)) {
      throw new Refusal('https_required', 'HTTPS is required. Replace the token, if you sent one.')
    }
    const { path } = call.target
    const found = findRoute(path)
    const operation = found && operationOf(found.route, method)
    call.operation = operation?.id
    call.pathLines = isAdmin(path) ? PRIVATE : (found?.lines ?? '')
    if (!isOwnHost(call.request.headers.host)) {
      throw new Refusal('misdirected_request', 'This host name is not allowed; add it to PETSTORE_OPERATOR_HOSTS.')
    }
    if (method === 'OPTIONS' && (found || path === '*')) return optionsAnswer(found?.route, METHODS)
    if (isAdmin(path) && !operation) call.operator = (await authenticate(call, dependencies)).operator
    if (!found) throw isAdmin(path) ? new Refusal('route_not_found', NO_SUCH_PATH) : await pages.notFound(call)
    return requireOperation(found.route, method).handle(call, ...found.parameters)
  }

  return {
    Call: OperatorCall,
    answer: passGates,
    linesOf: () => '',
    onIncomplete: (_, refusal, refuse) => refuse(refusal),
    onUnparsed: (_, refusal) => ({ refusal, lines: '' }),
  }
}

function isAdmin(path: string): boolean {
  return path === ADMIN_PATH || path.startsWith(`${ADMIN_PATH}/`)
}

function serve(
  { id, role, carryOut }: AdminOperation,
  dependencies: Dependencies & { events: Events; running: RunningRequests },
): Operation<OperatorCall> {
  const { store, deployment, clientAddress, limiter, service, files, events, running, now } = dependencies
  return {
    id,
    async handle(call, id = '') {
      const credentials = role === 'anyone' ? undefined : await authenticate(call, dependencies)
      if (credentials) {
        call.operator = credentials.operator
        refuseUnlessAllowed(role, credentials.operator, id)
        refuseForgery(call, credentials.sessionSecret)
      }
      const name = credentials ? actorName(credentials.operator) : 'nobody'
      const permit = credentials && permitOf(credentials, role === 'anyone' ? 'staff' : role)
      const origin = clientAddress(call.request)?.toString() ?? 'unknown'
      const context: AdminContext = { store, deployment, actor: { name, permit, origin }, now: call.now }
      const parts = { authentication: dependencies, limiter, service, files, events, running, clock: now }
      return carryOut(call, { context, credentials, ...parts, id })
    },
  }
}

/** @throws Refusal role_insufficient */
function refuseUnlessAllowed(needed: AdminOperation['role'], { role, source = '' }: Operator, id: string): void {
  if (role === 'feed' && (needed !== 'feed' || id.toLowerCase() !== source.toLowerCase())) throw onlyForFeed(source)
  if (needed === 'admin' && role !== 'admin') throw roleInsufficient()
}

/**
 * Returns a check of the `Host` of a request. Allowed are IP addresses, localhost, names without a dot, and names from the settings.
 * Without this check, a page of another site could make a browser call this listener under that site's name (DNS rebinding) and read the
 * response. Names without a dot are used between machines and containers, not on the internet.
 * @param names of hosts; `*.example.com` is every name below example.com
 */
function buildIsOwnHost(names: readonly string[]): (host: string | undefined) => boolean {
  const known = names.map(name => name.toLowerCase())
  return host => {
    // Browsers always send one.
    if (host === undefined || host === '') return true
    const dotted = host.toLowerCase().replace(/:\d*$/, '')
    if (isIP(dotted.replace(/^\[(.*)\]$/, '$1')) || /^[\w-]+$/.test(dotted)) return true
    const name = dotted.replace(/\.$/, '')
    // Browsers resolve these to their own machine.
    if (name.endsWith('.localhost')) return true
    return known.some(own => (own.startsWith('*.') ? name.endsWith(own.slice(1)) : name === own))
  }
}
