import { type Logger, pino } from 'pino'
import type { Config } from './config.ts'
import type { Deployment } from './domain/deployment.ts'
import type { Store } from './domain/store.ts'
import { buildAccessLog } from './http/access-log.ts'
import { buildClientAddress } from './http/client-address.ts'
import { Listener, type Timeouts } from './http/listener.ts'
import { buildRouter } from './http/routes.ts'
import { serveCalls } from './http/server.ts'
import { AnonymousLimiter } from './memory/anonymous-limiter.ts'
import { MemoryRateLimiter } from './memory/rate-limiter.ts'
import { openStore } from './open-store.ts'
import { AnonymousCalls } from './public/anonymous-calls.ts'
import { buildAuthenticate } from './public/authenticate.ts'
import { buildCors } from './public/cors.ts'
import { DeprecatedUse } from './public/deprecation.ts'
import { publicDocumentation } from './public/documentation.ts'
import { petRoutes } from './public/pets.ts'
import { buildPublicSurface } from './public/surface.ts'
import { lockForServing } from './sqlite/serving-lock.ts'

export type { Timeouts }

/** A running service. */
export interface Service {
  /** Where it listens, such as http://127.0.0.1:8080 */
  url: string
  /** The public base address, with /v1 */
  baseUrl: string
  store: Store
  /** Lets the calls in flight finish, saves what is counted, and closes everything. */
  close(): Promise<void>
}

export interface ServiceOptions {
  /** Unix milliseconds. */
  now?: () => number
  /** Where the log's lines go; standard output by default. */
  logTo?: { write(line: string): unknown }
  timeouts?: Partial<Timeouts>
}

/** A crash may forget at most the last second of counts: half of it is for waiting, half for the disk. */
const SAVE_EVERY_MS = 500
const FORGET_EVERY_MS = 60_000

/** Builds the service out of its parts; what is opened here is closed in reverse. */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const { now = Date.now, logTo = process.stdout } = options
  const log = pino({ level: config.logLevel, base: null }, logTo)
  const opened = new AsyncDisposableStack()
  try {
    const store = await openStore(config)
    opened.defer(() => store.close())
    opened.defer(lockForServing(config.dataFolder))

    const limiter = await MemoryRateLimiter.open(store, config.ban, now())
    const deprecatedUse = new DeprecatedUse(store)
    const save = async () => {
      await limiter.save(now())
      await deprecatedUse.save()
    }
    opened.defer(save)
    opened.defer(repeat(SAVE_EVERY_MS, save, log))
    opened.defer(repeat(FORGET_EVERY_MS, () => store.forgetExpired(now()), log))

    const listener = new Listener(options.timeouts)
    const url = await listener.open(config.host, config.port)
    opened.defer(() => listener.close())
    const { deployment } = config
    const urls = publicUrls(config, url)
    const baseUrl = urls[deployment]
    const routes = [...petRoutes({ store, baseUrl, deprecatedUse }), ...publicDocumentation(deployment, urls)]
    const clientAddress = buildClientAddress(config.trustedProxies)
    const surface = buildPublicSurface({
      findRoute: buildRouter(routes),
      authenticate: buildAuthenticate(store, deployment),
      limiter,
      anonymous: new AnonymousCalls(new AnonymousLimiter(config.anonymousPerMinute), clientAddress),
      cors: buildCors(config.corsOrigins),
    })
    const onAnswered = log.isLevelEnabled('info') ? buildAccessLog(logTo) : () => {}
    serveCalls(listener.server, { surface, log, onAnswered, now })
    log.info({ url, baseUrl, deployment, data: config.dataFolder }, 'listening')
    return { url, baseUrl, store, close: () => opened.disposeAsync().then(() => log.info('stopped')) }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** Where each deployment is reached from outside: as set, else where this program listens. */
function publicUrls({ publicUrls }: Config, url: string): Record<Deployment, string> {
  return { production: `${url}/v1`, staging: `${url}/v1`, ...publicUrls }
}

/** Does the work again and again; a failure is logged, and the work tried again the next time. Returns what ends it. */
function repeat(everyMs: number, work: () => Promise<void>, log: Logger): () => Promise<void> {
  let underway = Promise.resolve()
  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    underway = work()
      .catch(error => log.error({ err: error }, 'periodic work failed'))
      .finally(() => {
        isBusy = false
      })
  }, everyMs)
  return () => {
    clearInterval(timer)
    return underway
  }
}
