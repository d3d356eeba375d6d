import type { Space } from '../../src/app/checks/disk.ts'
import type { Config } from '../../src/app/config.ts'
import { type EmbeddedOptions, openStore } from '../../src/app/open-store.ts'
import type { BackupPace } from '../../src/app/scheduled-backups.ts'
import { type Service, startService } from '../../src/app/service.ts'
import type { Environment } from '../../src/app/settings.ts'
import type { Account } from '../../src/domain/account.ts'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import type { AdminContext } from '../../src/domain/administration/context.ts'
import { type GivenTerms, type IssuedKey, issueKey } from '../../src/domain/administration/keys.ts'
import type { OverloadLimits } from '../../src/domain/overload.ts'
import type { Limits, Plan } from '../../src/domain/plan.ts'
import type { Store } from '../../src/domain/store.ts'
import type { Timeouts } from '../../src/http/listener.ts'
import { adminContext } from './admin-context.ts'
import { type Backend, type BackendName, backendOfRun } from './backend.ts'
import type { Cleanup } from './cleanup.ts'
import { Clock } from './clock.ts'
import { makeBackend } from './make-backend.ts'
import type { Connection } from './raw.ts'
import { portOf, type Started } from './started.ts'
import { tlsOfRun } from './transport.ts'

/**
 * A real service with its own port and store, whose clock only moves when a test moves it. It may be several instances: then `url` is the load
 * balancer's, while `store` and `operatorUrl` are the first instance's.
 */
export interface TestService extends Service {
  port: number
  config: Config
  backend: Backend
  /** All instances. */
  instances: readonly Service[]
  clock: Clock
  /** Every line logged so far. */
  logs: string[]
  /** Connections that stopping the service must not wait for. */
  connections: Set<Connection>
  /** An operator's context for this service's store, at the current time. */
  adminContext(): AdminContext
  /** Creates an account with one key. Without a plan, the account has practically unlimited calls. */
  createCaller(wish?: { plan?: Plan; limits?: Partial<Limits>; keyName?: string }): Promise<TestCaller>
  issueKey(account: Account, wish?: GivenTerms): Promise<IssuedKey>
  /** Opens the store once more, as a command alongside the service does. */
  openStore(): Promise<Store>
  /** Starts another service on the same store, by default at the same time. */
  startAnother(options?: ServiceOptions): Promise<TestService>
}

export interface TestCaller {
  account: Account
  key: string
  keyId: bigint
}

export interface ServiceOptions {
  /** The initial time, in Unix milliseconds. */
  now?: number
  config?: Partial<Config>
  timeouts?: Partial<Timeouts>
  /** When the service counts as overloaded. */
  overload?: Partial<OverloadLimits>
  refreshCertificatesEveryMs?: number
  backupPace?: Partial<BackupPace>
  /** Ample by default, however full the disk of this machine is. */
  diskSpace?: () => Space
  /**
   * How the embedded store works, if that is the backend. It runs without threads by default, which saves a fifth of the CPU time of a test. Ask for
   * them (`inThreads`) in a test of calls that a write or a long read must not delay.
   */
  embedded?: EmbeddedOptions
  /** The folder with the built console; that of this checkout by default. */
  consoleFolder?: URL
  /** The backend; by default that of the whole test run. */
  backend?: BackendName
}

/** Starts a service that ends with the test, and its store with it. */
export async function startTestService(t: Cleanup, options: ServiceOptions = {}): Promise<TestService> {
  const name = options.backend ?? backendOfRun()
  const opened = new AsyncDisposableStack()
  t.after(() => opened.disposeAsync())
  const backend = await makeBackend(name)
  opened.defer(() => backend.remove())
  const start = name === 'balanced' ? (await import('./servers/balanced-service.ts')).startBalanced : startOne
  return startOn(backend, start, opened, options)
}

/** Starts all instances with these settings, or none. */
type Start = (config: Config, run: (config: Config) => Promise<Service>) => Promise<Started>

async function startOn(
  backend: Backend,
  start: Start,
  opened: AsyncDisposableStack,
  {
    now,
    config: overrides = {},
    timeouts = {},
    overload,
    refreshCertificatesEveryMs = 1_000,
    backupPace,
    diskSpace = () => AMPLE,
    embedded = {},
    consoleFolder,
  }: ServiceOptions,
): Promise<TestService> {
  const clock = new Clock(now)
  const logs: string[] = []
  const config: Config = { ...DEFAULTS, tls: tlsOfRun(), ...backend.settings, ...overrides }
  const { url, instances, close } = await start(config, one =>
    startService(one, {
      now: () => clock.now,
      logTo: { write: line => void logs.push(line) },
      timeouts,
      overload,
      refreshCertificatesEveryMs,
      backupPace,
      diskSpace,
      embedded: { inThreads: false, ...embedded },
      consoleFolder,
      env: environmentOf(one),
    }),
  )
  let closing: Promise<void> | undefined
  const closeOnce = () => {
    closing ??= close()
    return closing
  }
  opened.defer(closeOnce)
  const connections = new Set<Connection>()
  opened.defer(() => {
    for (const connection of connections) connection.destroy()
  })

  const [{ baseUrl, operatorUrl, store }] = instances
  const operator = () => adminContext(store, clock.now, config.deployment)
  let accounts = 0
  return {
    url,
    operatorUrl,
    baseUrl,
    store,
    close: closeOnce,
    port: portOf(url),
    config,
    backend,
    instances,
    clock,
    logs,
    connections,
    adminContext: operator,
    async createCaller({ plan = 'enterprise', limits, keyName } = {}) {
      accounts += 1
      const name = `account ${accounts} of ${Math.random().toString(36).slice(2)}`
      const own = plan === 'enterprise' ? { perMinute: 1_000_000, perDay: 1_000_000, ...limits } : {}
      const account = await createAccount(operator(), { name, plan, limits: own })
      const { key, id } = await issueKey(operator(), { account: String(account.id), name: keyName })
      return { account, key, keyId: id }
    },
    issueKey: (account, wish = {}) => issueKey(operator(), { account: String(account.id), ...wish }),
    async openStore() {
      const another = await openStore(config)
      opened.defer(() => another.close())
      return another
    },
    startAnother: (options = {}) =>
      startOn(backend, start, opened, { now: clock.now, ...options, config: { ...overrides, ...options.config } }),
  }
}

async function startOne(config: Config, run: (config: Config) => Promise<Service>): Promise<Started> {
  const service = await run(config)
  return { url: service.url, instances: [service], close: () => service.close() }
}

/** The parts that a command alongside the service needs. */
function environmentOf({ dataFolder, databaseUrl, redisUrls, deployment }: Config): Environment {
  return {
    PATH: process.env.PATH,
    PETSTORE_DATA: dataFolder,
    PETSTORE_DATABASE_URL: databaseUrl,
    PETSTORE_REDIS_URL: redisUrls.join(','),
    PETSTORE_DEPLOYMENT: deployment,
  }
}

const AMPLE: Space = { freeBytes: 50 * 1024 ** 3, totalBytes: 100 * 1024 ** 3 }

const DEFAULTS: Omit<Config, keyof Backend['settings'] | 'tls'> = {
  host: '127.0.0.1',
  port: 0,
  operatorHost: '127.0.0.1',
  operatorPort: 0,
  operatorHosts: [],
  deployment: 'production',
  publicUrls: {},
  redirectPort: undefined,
  acmeFolder: undefined,
  hstsSeconds: 0,
  backupTo: undefined,
  backupEverySeconds: 86_400,
  backupKeep: 7,
  trustedProxies: [],
  proxyProtocol: false,
  keepAliveSeconds: 65,
  corsOrigins: [],
  anonymousPerMinute: 600,
  // A machine that is busy with other tests must not look like an overload.
  overloadWaitMs: 0,
  claimLinkSeconds: 86_400,
  usageDays: 400,
  stopDelaySeconds: 0,
  ban: { after: undefined, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 },
  logLevel: 'info',
  logFormat: 'json',
}
