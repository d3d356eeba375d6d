import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../src/config.ts'
import type { Account } from '../../src/domain/account.ts'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import type { Acting } from '../../src/domain/administration/acting.ts'
import { type IssuedKey, issueKey } from '../../src/domain/administration/keys.ts'
import type { Limits, Plan } from '../../src/domain/plan.ts'
import type { Timeouts } from '../../src/http/listener.ts'
import { type Service, startService } from '../../src/service.ts'
import { acting } from './acting.ts'
import { Clock } from './clock.ts'
import type { Connection } from './raw.ts'

/** A real service on a port and a folder of its own, whose clock stands still until a test moves it. */
export interface TestService extends Service {
  port: number
  config: Config
  clock: Clock
  /** Every line logged so far. */
  logs: string[]
  /** Connections that the service's end must not wait for. */
  connections: Set<Connection>
  /** An operator at work on this service's store, now. */
  acting(): Acting
  /** An account and one key of it. Without a plan, the account may call as often as a test likes. */
  createCaller(wish?: { plan?: Plan; limits?: Partial<Limits>; keyName?: string }): Promise<TestCaller>
  issueKey(account: Account, wish?: { name?: string; expiresAt?: number }): Promise<IssuedKey>
  /** Starts another service on this one's folder, at this one's time if not told otherwise. */
  startAnother(options?: ServiceOptions): Promise<TestService>
}

export interface TestCaller {
  account: Account
  key: string
  keyId: bigint
}

export interface ServiceOptions {
  /** Where the clock begins, in Unix milliseconds. */
  now?: number
  config?: Partial<Config>
  timeouts?: Partial<Timeouts>
}

/** What ends a test's resources: a test context, or `{ after }` of node:test for a whole file. */
export interface Cleanup {
  after(fn: () => Promise<void>): void
}

/** Starts a service that ends with the test, and its folder with it. */
export async function startTestService(
  t: Cleanup,
  { now, config: overrides = {}, timeouts = {} }: ServiceOptions = {},
): Promise<TestService> {
  const clock = new Clock(now)
  const logs: string[] = []
  const ownFolder = overrides.dataFolder === undefined ? await mkdtemp(FOLDER_PREFIX) : undefined
  const dataFolder = overrides.dataFolder ?? ownFolder ?? ''
  const config: Config = { ...DEFAULTS, ...overrides, dataFolder }
  const service = await startService(config, {
    now: () => clock.now,
    logTo: { write: line => void logs.push(line) },
    timeouts,
  })
  const connections = new Set<Connection>()
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= service.close()
    return closing
  }
  const endings: (() => Promise<void>)[] = []
  t.after(async () => {
    for (const end of endings) await end()
    for (const connection of connections) connection.destroy()
    await close()
    if (ownFolder) await rm(ownFolder, { recursive: true, force: true })
  })
  const operator = () => acting(service.store, clock.now, config.deployment)
  let accounts = 0
  return {
    url: service.url,
    operatorUrl: service.operatorUrl,
    baseUrl: service.baseUrl,
    store: service.store,
    close,
    port: Number(new URL(service.url).port),
    config,
    clock,
    logs,
    connections,
    acting: operator,
    async createCaller({ plan = 'enterprise', limits, keyName } = {}) {
      accounts += 1
      const name = `account ${accounts} of ${Math.random().toString(36).slice(2)}`
      const own = plan === 'enterprise' ? { perMinute: 1_000_000, perDay: 1_000_000, ...limits } : {}
      const account = await createAccount(operator(), { name, plan, limits: own })
      const { key, id } = await issueKey(operator(), { account: String(account.id), name: keyName })
      return { account, key, keyId: id }
    },
    issueKey: (account, wish = {}) => issueKey(operator(), { account: String(account.id), ...wish }),
    startAnother: (options = {}) =>
      startTestService(
        { after: end => void endings.push(end) },
        { now: clock.now, ...options, config: { ...overrides, ...options.config, dataFolder } },
      ),
  }
}

const FOLDER_PREFIX = join(tmpdir(), 'petstore-test-')

const DEFAULTS: Omit<Config, 'dataFolder'> = {
  host: '127.0.0.1',
  port: 0,
  operatorHost: '127.0.0.1',
  operatorPort: 0,
  databaseUrl: undefined,
  redisUrls: [],
  deployment: 'production',
  publicUrls: {},
  trustedProxies: [],
  corsOrigins: [],
  anonymousPerMinute: 600,
  usageDays: 400,
  ban: { after: 10, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 },
  logLevel: 'info',
}
