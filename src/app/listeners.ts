import type { Logger } from 'pino'
import type { Store } from '../domain/store.ts'
import type { ClientAddress, IsTrusted } from '../http/client-address.ts'
import { Listener, type ListenerEvents, type Timeouts } from '../http/listener.ts'
import type { Refusal } from '../http/refusal.ts'
import { type OnAnswered, serveCalls } from '../http/server.ts'
import type { UsageTally } from '../memory/usage-tally.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { buildOperatorApi } from '../operator/api.ts'
import type { Brake } from '../operator/brake.ts'
import { HEALTH_IDS, OPERATION_IDS } from '../operator/routes.ts'
import { buildPublicApi } from '../public/api.ts'
import type { PublicCall } from '../public/call.ts'
import { OPERATIONS } from '../public/routes.ts'
import type { Config } from './config.ts'
import type { Limiters } from './open-limiters.ts'

/** What both listeners need. */
export interface ListenerParts {
  /** Closes the listeners. */
  opened: AsyncDisposableStack
  config: Config
  store: Store
  metrics: Metrics
  log: Logger
  logCall: OnAnswered
  isTrusted: IsTrusted
  clientAddress: ClientAddress
  timeouts: Partial<Timeouts> | undefined
  /** Whether the service is about to stop. */
  isStopping(): boolean
  now(): number
}

/** Opens the listener for the admin API, health and metrics. Returns its address. */
export async function openOperatorListener(parts: ListenerParts, brake: Brake): Promise<string> {
  const { opened, config, store, metrics, log, logCall, clientAddress, timeouts, isStopping, now } = parts
  const listener = new Listener({ timeouts, events: watchListener('operators', parts) })
  const url = await listener.open(config.operatorHost, config.operatorPort)
  opened.defer(() => listener.close())
  const api = buildOperatorApi({
    store,
    deployment: config.deployment,
    brake,
    clientAddress,
    hosts: [config.operatorHost, ...config.operatorHosts],
    metrics,
    isStopping,
  })
  const countAnswered = metrics.buildOperatorAnswered(OPERATION_IDS)
  const onAnswered: OnAnswered = (call, status, refusal) => {
    countAnswered(call, status, refusal)
    if (refusal?.code === 'service_unavailable' && call.operation !== 'readyz') metrics.storeFailed(refusal)
    // Health checks come every few seconds, and would flood the log.
    if (status !== 200 || !HEALTH_IDS.some(id => id === call.operation)) logCall(call, status, refusal)
  }
  serveCalls(listener, { api, log, onAnswered, isStopping, now })
  return url
}

/** Opens the listener for the public API and its documentation. Returns its address, and its public one. */
export async function openPublicListener(
  parts: ListenerParts,
  limiters: Limiters,
  usage: UsageTally,
): Promise<{ url: string; baseUrl: string }> {
  const { opened, config, store, metrics, log, logCall, isTrusted, clientAddress, timeouts, isStopping, now } = parts
  const { deployment, publicUrls, corsOrigins } = config
  const proxyProtocol = {
    isSpokenBy: isTrusted,
    onMissing: (proxy: string, reason: string) => log.warn({ proxy, reason }, 'refused a connection from a proxy'),
  }
  const listener = new Listener({
    timeouts,
    proxyProtocol: config.proxyProtocol ? proxyProtocol : undefined,
    events: watchListener('public', parts),
  })
  const url = await listener.open(config.host, config.port)
  opened.defer(() => listener.close())
  const baseUrl = publicUrls[deployment] ?? `${url}/v1`
  const api = buildPublicApi({
    store,
    deployment,
    baseUrl,
    publicUrls,
    limiter: limiters.accounts,
    addresses: limiters.addresses,
    clientAddress,
    corsOrigins,
  })
  const countAnswered = metrics.buildPublicAnswered(OPERATIONS.map(({ id }) => id))
  const onAnswered: OnAnswered<PublicCall> = (call, status, refusal) => {
    const { caller, decision, operation = 'none' } = call
    if (caller && decision) usage.add(caller, operation, decision.outcome, status, call.now)
    if (refusal?.code === 'service_unavailable') metrics.storeFailed(refusal)
    countAnswered(call, status, refusal)
    logCall(call, status, refusal)
  }
  const onConnectionRefused = (refusal: Refusal) => metrics.connectionRefused(refusal)
  serveCalls(listener, { api, log, onAnswered, onConnectionRefused, isStopping, now })
  return { url, baseUrl }
}

function watchListener(listener: string, { log, metrics }: ListenerParts): ListenerEvents {
  return {
    onError: error => log.error({ err: error, listener }, 'a connection failed'),
    onTooMany: () => metrics.connectionDropped(),
  }
}
