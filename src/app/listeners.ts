import type { Logger } from 'pino'
import { NEVER_OVERLOADED, Overload } from '../domain/overload.ts'
import type { PetFiles } from '../domain/pet-files.ts'
import type { Store } from '../domain/store.ts'
import { buildClientNetwork, type ClientAddress, type IsTrusted } from '../http/client-address.ts'
import { Listener, type ListenerEvents, type Timeouts } from '../http/listener.ts'
import type { Refusal } from '../http/refusal.ts'
import { type OnAnswered, serveCalls } from '../http/server.ts'
import { buildWatchProxies } from '../http/untrusted-proxy.ts'
import type { RecentRefusals } from '../memory/recent-refusals.ts'
import type { UsageTally } from '../memory/usage-tally.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { buildOperatorApi } from '../operator/api.ts'
import type { CredentialLimiter } from '../operator/credential-limiter.ts'
import { HEALTH_IDS, OPERATION_IDS } from '../operator/routes.ts'
import type { RunningService } from '../operator/running-service.ts'
import { buildPublicApi } from '../public/api.ts'
import type { PublicCall } from '../public/call.ts'
import { OPERATIONS } from '../public/routes.ts'
import type { Certificates } from './certificates.ts'
import type { Config, ListenerName } from './config.ts'
import { maxConnections } from './max-connections.ts'
import type { Limiters } from './open-limiters.ts'

export interface ListenerParts {
  /** Called with each listener as soon as it is open. */
  opened(listener: Listener): void
  config: Config
  certificates: Certificates
  store: Store
  metrics: Metrics
  log: Logger
  logCall: OnAnswered
  isTrusted: IsTrusted
  clientAddress: ClientAddress
  limiters: Limiters
  timeouts: Partial<Timeouts> | undefined
  isStopping(): boolean
  now(): number
}

interface OperatorParts extends ListenerParts {
  credentialLimiter: CredentialLimiter
  service: RunningService
  files: PetFiles
  consoleFolder: URL | undefined
}

/** Opens the listener for the admin API, health and metrics. Returns its address. */
export async function openOperatorListener(parts: OperatorParts): Promise<string> {
  const { opened, config, certificates, metrics, logCall, timeouts } = parts
  const credentials = certificates.of('operators')
  const listener = new Listener({ timeouts, credentials, events: watchListener('operators', parts) })
  certificates.renewOn('operators', listener)
  const url = await listener.open(config.operatorHost, config.operatorPort)
  opened(listener)
  const api = buildOperatorApi({
    ...parts,
    deployment: config.deployment,
    limiter: parts.limiters.accounts,
    url,
    hosts: [config.operatorHost, ...config.operatorHosts],
    isHttps: credentials !== undefined,
  })
  const countAnswered = metrics.buildOperatorAnswered(OPERATION_IDS)
  const onAnswered: OnAnswered = (call, status, refusal) => {
    countAnswered(call, status, refusal)
    if (isStoreFailure(refusal) && call.operation !== 'readyz') metrics.storeFailed(refusal)
    // Health checks arrive every few seconds and would flood the log.
    if (status !== 200 || !HEALTH_IDS.some(id => id === call.operation)) logCall(call, status, refusal)
  }
  serveCalls(listener, { ...parts, api, onAnswered, hstsSeconds: config.hstsSeconds })
  return url
}

interface PublicParts extends ListenerParts {
  usage: UsageTally
  refusals: RecentRefusals
  overload: Overload
}

interface PublicAddresses {
  url: string
  baseUrl: string
  redirectUrl: string | undefined
}

const UNTRUSTED_PROXY =
  'calls with X-Forwarded-For come from an address that is not in PETSTORE_TRUSTED_PROXIES: if it is a proxy, list it; until then, all callers behind it count as one address'

/** Opens the listener for the public API and its documentation, and the one that redirects to it. */
export async function openPublicListener(parts: PublicParts): Promise<PublicAddresses> {
  const { opened, config, certificates, limiters, metrics, log, logCall, isTrusted, clientAddress, timeouts } = parts
  const { usage, refusals } = parts
  const { deployment, publicUrls, corsOrigins, acmeFolder, redirectPort, hstsSeconds } = config
  const proxyProtocol = {
    isSpokenBy: isTrusted,
    onMissing: (proxy: string, reason: string) => log.warn({ proxy, reason }, 'refused a connection from a proxy'),
  }
  const options = {
    timeouts,
    proxyProtocol: config.proxyProtocol ? proxyProtocol : undefined,
    events: watchListener('public', parts),
  }
  const credentials = certificates.of('public')
  const listener = new Listener({ ...options, credentials, maxConnections: maxConnections('public') })
  certificates.renewOn('public', listener)
  const url = await listener.open(config.host, config.port)
  opened(listener)
  const baseUrl = publicUrls[deployment] ?? `${url}/v1`
  const api = buildPublicApi({
    ...parts,
    deployment,
    baseUrl,
    publicUrls,
    corsOrigins,
    acmeFolder,
    limiter: limiters.accounts,
    addresses: limiters.addresses,
    isHttps: credentials !== undefined,
  })
  const countAnswered = metrics.buildPublicAnswered(OPERATIONS.map(({ id }) => id))
  const clientNetwork = buildClientNetwork(clientAddress)
  const watchProxies = buildWatchProxies(isTrusted, address => log.warn({ address }, UNTRUSTED_PROXY))
  const onAnswered: OnAnswered<PublicCall> = (call, status, refusal) => {
    const { caller, decision, keyId, operation = 'none' } = call
    watchProxies(call.request, call.now)
    countAnswered(call, status, refusal)
    if (refusal?.code === 'overloaded') {
      // A log line for each would cost as much as the rest of the refusal. The log shows when the overload began and ended.
      metrics.overloadRefused.inc()
      return
    }
    if (caller && decision) {
      usage.add(caller, operation, decision.outcome, status, call.now, clientNetwork(call.request))
    }
    if (refusal && keyId !== undefined) {
      const { method = '', url = '', headers } = call.request
      refusals.add({
        keyId,
        calledAt: call.now,
        method,
        path: url,
        status: refusal.status,
        code: refusal.code,
        calledFrom: clientNetwork(call.request),
        userAgent: headers['user-agent'],
      })
    }
    if (isStoreFailure(refusal)) metrics.storeFailed(refusal)
    logCall(call, status, refusal)
  }
  const onConnectionRefused = (refusal: Refusal) => metrics.connectionRefused(refusal)
  const served = { ...parts, api, onAnswered, onConnectionRefused, hstsSeconds }
  serveCalls(listener, served)
  if (redirectPort === undefined) return { url, baseUrl, redirectUrl: undefined }

  // On this listener, the API refuses or redirects every call, because none is encrypted.
  const redirecting = new Listener({ ...options, maxConnections: maxConnections('redirect') })
  const redirectUrl = await redirecting.open(config.host, redirectPort)
  opened(redirecting)
  // Calls are queued here, too, but none is refused: a redirect costs no more than a refusal.
  serveCalls(redirecting, { ...served, overload: new Overload({}, NEVER_OVERLOADED) })
  return { url, baseUrl, redirectUrl }
}

function isStoreFailure(refusal: Refusal | undefined): boolean {
  return refusal?.code === 'service_unavailable' || refusal?.code === 'store_full'
}

function watchListener(listener: ListenerName, { log, metrics }: ListenerParts): ListenerEvents {
  return {
    onError: error => log.error({ err: error, listener }, 'a connection failed'),
    onTooMany: () => metrics.connectionsDropped.inc(),
    onHandshakeFailed({ code, message }) {
      metrics.handshakesFailed.inc()
      log.debug({ listener, code, reason: message }, 'a TLS handshake failed')
    },
  }
}
