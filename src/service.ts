import { setTimeout as sleep } from 'node:timers/promises'
import manifest from '../package.json' with { type: 'json' }
import type { Config } from './config.ts'
import type { Refusal } from './domain/errors.ts'
import type { Store } from './domain/store.ts'
import { dayOf } from './domain/usage.ts'
import { buildAccessLog } from './http/access-log.ts'
import { buildClientAddress } from './http/client-address.ts'
import { Listener, type ListenerEvents, type Timeouts } from './http/listener.ts'
import { buildRouter, operationIds } from './http/routes.ts'
import { type OnAnswered, serveCalls } from './http/server.ts'
import { buildIsTrusted } from './http/trusted-proxies.ts'
import { openLog } from './log.ts'
import { AnonymousLimiter } from './memory/anonymous-limiter.ts'
import { UsageTally } from './memory/usage-tally.ts'
import { Metrics } from './metrics/metrics.ts'
import { openLimiters } from './open-limiters.ts'
import { openStoreToServe } from './open-store.ts'
import { Brake, FAILURES_PER_MINUTE, SIGN_INS_PER_MINUTE } from './operator/brake.ts'
import { HEALTH_IDS } from './operator/health.ts'
import { OPERATIONS } from './operator/operations/all.ts'
import { buildOperatorSurface } from './operator/surface.ts'
import { AnonymousCalls } from './public/anonymous-calls.ts'
import { buildAuthenticate } from './public/authenticate.ts'
import { buildCors } from './public/cors.ts'
import { publicDocumentation } from './public/documentation.ts'
import { petRoutes } from './public/pets.ts'
import { buildPublicSurface } from './public/surface.ts'
import { repeat } from './repeat.ts'

export type { Timeouts }

/** A running service. */
export interface Service {
  /** Where it listens, such as http://127.0.0.1:8080 */
  url: string
  /** Where the operators' side listens. */
  operatorUrl: string
  /** The public base address, with /v1 */
  baseUrl: string
  store: Store
  /** Waits for clients to move on, as long as the settings say; lets the calls in flight finish, saves what is counted, and closes everything. */
  close(): Promise<void>
}

export interface ServiceOptions {
  /** Unix milliseconds. Where it is given, everything goes by it, also what is counted outside this process. */
  now?: () => number
  /** Where the log's lines go; standard output by default. */
  logTo?: { write(line: string): unknown }
  timeouts?: Partial<Timeouts>
}

/** A crash may forget at most the last second of counts: half of it is for waiting, half for the disk. */
const SAVE_EVERY_MS = 500
/** A crash may forget a few seconds of usage. */
const SAVE_USAGE_EVERY_MS = 2_000
const FORGET_EVERY_MS = 60_000
/** A crash may forget a minute of refused sign-ins. */
const SAVE_REFUSED_EVERY_MS = 60_000

/** Builds the service out of its parts; what is opened here is closed in reverse. */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const { now = Date.now, logTo = process.stdout } = options
  const log = openLog(config.logLevel, logTo)
  const opened = new AsyncDisposableStack()
  try {
    const metrics = new Metrics(manifest.version)
    opened.defer(() => metrics.close())
    const served = await openStoreToServe(config, {
      committed: (writes, milliseconds) => metrics.committed(writes, milliseconds),
      pushLost(error) {
        metrics.setPushLost(true)
        log.error({ err: error }, 'changes by other instances are not told any more; they hold after 5 seconds')
      },
      pushReturned() {
        metrics.setPushLost(false)
        log.info('changes by other instances are told again')
      },
    })
    opened.defer(() => served.close())
    const { store, instances } = served

    const limiters = await openLimiters(config, {
      store,
      instances,
      now,
      ownClock: options.now !== undefined,
      watch: {
        failed(error) {
          metrics.limiterFailed()
          log.error({ err: error }, 'a ban could not be stored')
        },
        lost(error) {
          metrics.setLimiterAlone(true)
          log.error({ err: error, instances: instances() }, 'Redis cannot be used: calls are counted in this process')
        },
        returned() {
          metrics.setLimiterAlone(false)
          log.info('Redis can be used again: calls are counted together')
        },
        decidedAlone: () => metrics.decidedAlone(),
      },
    })
    opened.defer(() => limiters.close())
    const { accounts: limiter, addresses } = limiters
    const usage = new UsageTally(store)
    const every = (everyMs: number, what: string, work: () => Promise<void>, countFailure: () => void) => {
      const fail = (error: unknown) => {
        countFailure()
        log.error({ err: error }, `${what} failed`)
      }
      opened.defer(repeat(everyMs, work, fail))
    }
    opened.defer(() => limiter.save(now()))
    opened.defer(() => usage.save())
    const storeFailed = () => metrics.storeFailed()
    every(
      SAVE_EVERY_MS,
      'saving the counts',
      () => limiter.save(now()),
      () => metrics.limiterFailed(),
    )
    every(SAVE_USAGE_EVERY_MS, 'saving the usage', () => usage.save(), storeFailed)
    const firstUsageDay = () => dayOf(now()) - config.usageDays + 1
    every(FORGET_EVERY_MS, 'forgetting what is over', () => store.forgetExpired(now(), firstUsageDay()), storeFailed)

    const { deployment } = config
    const isTrusted = buildIsTrusted(config.trustedProxies)
    const clientAddress = buildClientAddress(isTrusted)
    const logCall = log.isLevelEnabled('info') ? buildAccessLog(logTo) : () => {}

    const listenerEvents = (name: string): ListenerEvents => ({
      onError: error => log.error({ err: error, listener: name }, 'a connection failed'),
      onTooMany: () => metrics.connectionDropped(),
    })

    let isToldToStop = false
    const isStopping = () => isToldToStop
    const brake = new Brake({
      store,
      failures: new AnonymousLimiter(FAILURES_PER_MINUTE),
      signIns: new AnonymousLimiter(SIGN_INS_PER_MINUTE),
      clientAddress,
      onRefused: why => metrics.credentialsRefused(why),
    })
    opened.defer(() => brake.save(now()))
    every(SAVE_REFUSED_EVERY_MS, 'writing down refused sign-ins', () => brake.save(now()), storeFailed)
    const operators = new Listener({ timeouts: options.timeouts, events: listenerEvents('operators') })
    const operatorUrl = await operators.open(config.operatorHost, config.operatorPort)
    opened.defer(() => operators.close())
    const operatorAnswered = metrics.buildOperatorAnswered([...OPERATIONS.map(({ id }) => id), ...HEALTH_IDS])
    serveCalls(operators, {
      surface: buildOperatorSurface({
        store,
        deployment,
        brake,
        clientAddress,
        hosts: [config.operatorHost, ...config.operatorHosts],
        metrics,
        isStopping,
      }),
      log,
      onAnswered: (call, status, refusal) => {
        operatorAnswered(call, status, refusal)
        if (refusal?.code === 'service_unavailable' && call.operation !== 'readyz') metrics.storeFailed(refusal)
        // Machines ask every few seconds: their questions would drown the log.
        if (status !== 200 || !HEALTH_IDS.some(id => id === call.operation)) logCall(call, status, refusal)
      },
      isStopping,
      now,
    })

    const proxyProtocol = {
      isSpokenBy: isTrusted,
      onMissing: (proxy: string, reason: string) => log.warn({ proxy, reason }, 'connection of a proxy refused'),
    }
    const listener = new Listener({
      timeouts: options.timeouts,
      proxyProtocol: config.proxyProtocol ? proxyProtocol : undefined,
      events: listenerEvents('public'),
    })
    const url = await listener.open(config.host, config.port)
    opened.defer(() => listener.close())
    const { publicUrls } = config
    const baseUrl = publicUrls[deployment] ?? `${url}/v1`
    const routes = [...petRoutes({ store, baseUrl }), ...publicDocumentation(deployment, baseUrl, publicUrls)]
    const surface = buildPublicSurface({
      findRoute: buildRouter(routes),
      authenticate: buildAuthenticate(store, deployment),
      limiter,
      anonymous: new AnonymousCalls(addresses, clientAddress),
      cors: buildCors(config.corsOrigins),
    })
    const publicAnswered = metrics.buildPublicAnswered(operationIds(routes))
    const onAnswered: OnAnswered = (call, status, refusal) => {
      const { caller, decision, operation = 'none' } = call
      if (caller && decision) usage.add(caller, operation, decision.outcome, status, call.now)
      if (refusal?.code === 'service_unavailable') metrics.storeFailed(refusal)
      publicAnswered(call, status, refusal)
      logCall(call, status, refusal)
    }
    const onUnread = (refusal: Refusal) => metrics.unread(refusal)
    serveCalls(listener, { surface, log, onAnswered, onUnread, isStopping, now })
    log.info({ url, baseUrl, operatorUrl, deployment, store: served.name }, 'listening')
    async function close(): Promise<void> {
      isToldToStop = true
      const { stopDelaySeconds } = config
      if (stopDelaySeconds > 0) {
        log.info({ stopDelaySeconds }, 'stopping')
        await sleep(stopDelaySeconds * 1_000)
      }
      await opened.disposeAsync()
      log.info('stopped')
    }
    return { url, baseUrl, operatorUrl, store, close }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
