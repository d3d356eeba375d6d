import type { Acting } from '../domain/administration/acting.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Refusal } from '../domain/errors.ts'
import type { Role } from '../domain/operator.ts'
import type { Answer, Call } from '../http/call.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { documentationRoutes } from '../http/docs-page.ts'
import {
  buildRouter,
  type FoundRoute,
  type Operation,
  operationOf,
  optionsAnswer,
  type Route,
  requireOperation,
} from '../http/routes.ts'
import type { Surface } from '../http/server.ts'
import { readTarget } from '../http/target.ts'
import { type Authentication, authenticate, refuseForgery } from './authenticate.ts'
import { healthRoutes } from './health.ts'
import { buildIsOwnHost } from './hosts.ts'
import { type AdminOperation, actorName } from './operation.ts'
import { OPERATIONS } from './operations/all.ts'

interface Dependencies extends Authentication {
  clientAddress: ClientAddress
  /** The names that this listener may be called by, besides addresses and localhost. */
  hosts: readonly string[]
  /** What is exported for Prometheus. */
  metrics: { text(): Promise<string>; readonly contentType: string }
  /** Whether the service has been told to stop. */
  isStopping(): boolean
}

const ADMIN = '/admin/v1'
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** What the admin API answers is for the one who asked, and for no other site's page. */
const PRIVATE = ['Cache-Control', 'no-store', 'Cross-Origin-Resource-Policy', 'same-origin']

/** The operators' side: admin API, health, metrics, and their documentation. It knows nothing of API keys and their limits. */
export function buildOperatorSurface(dependencies: Dependencies): Surface {
  const findRoute = buildRouter([
    ...adminRoutes(dependencies),
    ...healthRoutes({
      ...dependencies,
      isOperator: call =>
        authenticate(call, dependencies).then(
          () => true,
          () => false,
        ),
    }),
    ...documentationRoutes({ loadDocument: () => loadDocument(dependencies.deployment) }),
  ])
  const isOwnHost = buildIsOwnHost(dependencies.hosts)
  return {
    answer: call => passGates(call, findRoute),
    headersOf: () => [],
    meetUnread: (_, refusal) => ({ refusal, headers: [] }),
  }

  /** Parse, host, OPTIONS, authenticate, route, method; role, forgery, media type, size, JSON and schema follow in the operation. */
  async function passGates(call: Call, findRoute: (path: string) => FoundRoute | undefined): Promise<Answer> {
    const method = call.request.method ?? ''
    call.target = readTarget(call.request)
    const { path } = call.target
    const found = findRoute(path)
    const operation = found && operationOf(found.route, method)
    call.operation = operation?.id
    call.pathHeaders = isAdmin(path) ? PRIVATE : (found?.route.headers ?? [])
    if (!isOwnHost(call.request.headers.host)) {
      throw new Refusal('misdirected_request', 'This host name is not allowed here; add it to PETSTORE_OPERATOR_HOSTS.')
    }
    if (method === 'OPTIONS' && (found || path === '*')) return optionsAnswer(found?.route, METHODS)
    if (isAdmin(path) && !operation) call.operator = (await authenticate(call, dependencies)).operator
    if (!found) throw new Refusal('route_not_found', 'Nothing is at this path; the admin API is described at /docs.')
    return requireOperation(found.route, method).handle(call, ...found.parameters)
  }
}

function isAdmin(path: string): boolean {
  return path === ADMIN || path.startsWith(`${ADMIN}/`)
}

function adminRoutes(dependencies: Dependencies): Route[] {
  const byPath = Object.groupBy(OPERATIONS, ({ path }) => path)
  return Object.entries(byPath).map(([path, operations = []]) => ({
    path: ADMIN + path,
    operations: Object.fromEntries(operations.map(one => [one.method, served(one, dependencies)])),
  }))
}

function served(operation: AdminOperation, dependencies: Dependencies): Operation {
  const { store, deployment, clientAddress } = dependencies

  async function handle(call: Call, parameter = ''): Promise<Answer> {
    const credentials = operation.role === 'anyone' ? undefined : await authenticate(call, dependencies)
    if (credentials) {
      call.operator = credentials.operator
      refuseUnlessAllowed(operation.role, credentials.operator.role)
      refuseForgery(call, credentials.sessionSecret)
    }
    const name = credentials ? actorName(credentials.operator) : 'nobody'
    const origin = clientAddress(call.request)?.toString() ?? 'unknown'
    const acting: Acting = { store, deployment, actor: { name, origin }, now: call.now }
    return operation.carryOut(call, { acting, credentials, authentication: dependencies, parameter })
  }
  return { id: operation.id, handle }
}

/** @throws Refusal role_insufficient */
function refuseUnlessAllowed(needed: Role | 'anyone', role: Role): void {
  if (needed === 'admin' && role !== 'admin') {
    throw new Refusal('role_insufficient', 'This needs a token with the role admin; yours has the role staff.')
  }
}

async function loadDocument(deployment: Deployment): Promise<object> {
  const { buildOpenApi } = await import('./openapi.ts')
  return buildOpenApi(deployment)
}
