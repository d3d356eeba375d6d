import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { ClockWatch } from '../domain/clock.ts'
import { NEVER_OVERLOADED, Overload, type OverloadLimits, type OverloadWatch } from '../domain/overload.ts'
import type { AnimalStore } from '../domain/store/animals.ts'
import type { StoreWatch } from '../domain/store/watch.ts'
import type { Store } from '../domain/store.ts'
import { HOUR_MS, isoTime } from '../domain/time.ts'
import { buildAccessLog } from '../http/access-log.ts'
import { buildIsWithin } from '../http/address.ts'
import { buildClientAddress } from '../http/client-address.ts'
import { STOP_TIMEOUT_MS, type Timeouts } from '../http/listener.ts'
import { MemoryAddressLimiter } from '../memory/address-limiter.ts'
import { RecentRefusals } from '../memory/recent-refusals.ts'
import { UsageTally } from '../memory/usage-tally.ts'
import { Metrics } from '../metrics/metrics.ts'
import { CredentialLimiter, FAILURES_PER_MINUTE, SIGN_INS_PER_MINUTE } from '../operator/credential-limiter.ts'
import type { RunningService } from '../operator/running-service.ts'
import { arePagesBuilt } from '../pages/built-files.ts'
import { PAGES_NOT_BUILT } from '../pages/site.ts'
import { readState } from '../sqlite/backup/inspect.ts'
import { databaseFile, folderOfStore } from '../sqlite/data-folder/store-files.ts'
import { ownBuild } from './build.ts'
import { Certificates } from './certificates.ts'
import { checkReadiness, runChecks } from './checks/checks.ts'
import { checkClock } from './checks/clock.ts'
import { type Space, spaceOf } from './checks/disk.ts'
import { DiskWatch } from './checks/disk-watch.ts'
import { buildDoctor } from './checks/doctor-process.ts'
import type { ServiceState } from './checks/facts.ts'
import { buildStoreCheck } from './checks/store.ts'
import type { Config } from './config.ts'
import { describeSettings } from './describe-settings.ts'
import { Expiry, type ExpiryWatch } from './expiry.ts'
import { type ListenerParts, openOperatorListener, openPublicListener } from './listeners.ts'
import { openLog } from './log.ts'
import { type LimiterWatch, openLimiters } from './open-limiters.ts'
import { type EmbeddedOptions, openStoreToServe } from './open-store.ts'
import { PetFileThreads } from './pet-files.ts'
import { repeat } from './repeat.ts'
import { type BackupPace, ScheduledBackups } from './scheduled-backups.ts'
import type { Environment } from './settings.ts'
import { settingsFile } from './settings-file.ts'

export type { Timeouts }

export interface Service {
  /** The public listener, such as http://127.0.0.1:8080 */
  url: string
  operatorUrl: string
  /** The public base address, with /v1 */
  baseUrl: string
  /** The listener that redirects plain HTTP, if there is one. */
  redirectUrl?: string | undefined
  store: Store
  /** Waits for the stop delay, so that clients can move on; then finishes the calls in flight, saves all counts and closes everything. */
  close(): Promise<void>
}

export interface ServiceOptions {
  /** Unix milliseconds. If given, this clock is also used for calls counted outside this process. */
  now?: () => number
  /** The output of the log; standard output by default. */
  logTo?: { write(line: string): unknown }
  droppedLogLines?: () => number
  timeouts?: Partial<Timeouts>
  overload?: Partial<OverloadLimits> | undefined
  embedded?: EmbeddedOptions | undefined
  /** The environment of the settings that operators see and `petstore doctor` checks; that of this process by default. */
  env?: Environment
  refreshCertificatesEveryMs?: number
  backupPace?: Partial<BackupPace> | undefined
  /** The free space of the disk with the embedded store; read from the system by default. */
  diskSpace?: () => Space
  /** The folder with the built console; that of this program by default. */
  consoleFolder?: URL | undefined
}

/** A crash may lose at most the last second of counts: half of it for this interval, half for the disk. */
const SAVE_COUNTS_EVERY_MS = 500
/** A crash may lose a few seconds of usage and refused calls. */
const SAVE_USAGE_EVERY_MS = 2_000
/** A crash may lose a minute of refused sign-ins. */
const SAVE_REFUSED_EVERY_MS = 60_000
const FORGET_EVERY_MS = 60_000
/** During an outage, each attempt fails, and a log of all of them would fill the disk. */
const LOG_FAILURES_EVERY_MS = 60_000
/** A new certificate is used once two checks in a row have found it. */
const REFRESH_CERTIFICATES_EVERY_MS = 10_000

/** Opens the parts of the service in order and connects them. They are closed in reverse order. */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const { now = Date.now, logTo = process.stdout, timeouts, env = process.env } = options
  const { refreshCertificatesEveryMs = REFRESH_CERTIFICATES_EVERY_MS } = options
  const { deployment, stopDelaySeconds, usageDays } = config
  const log = openLog(config.logLevel, logTo)
  const opened = new AsyncDisposableStack()
  let isStopping = false
  try {
    const metrics = new Metrics(options.droppedLogLines)
    opened.defer(() => metrics.close())
    // Takes a while in a checkout. Nothing waits for it.
    const build = ownBuild()
    void build.then(known => metrics.showBuild(known))
    const certificates = await Certificates.open(config, { log, metrics }, now())
    const troubles: ServiceState['troubles'] = new Map()
    const watchers = { metrics, log, troubles, now }
    let announce = () => {}
    const storeWatch = { ...watchStore(watchers), changed: () => announce() }
    const served = await openStoreToServe(config, storeWatch, options.embedded)
    opened.defer(() => served.close())
    const { store, instances, renew: newsArrived } = served
    const expiry = new Expiry({
      store,
      usageDays,
      clock: new ClockWatch(),
      steadyNow: () => performance.now(),
      watch: watchExpiry(log),
    })
    await expiry.checkClock(now())
    const ownClock = options.now !== undefined
    const watch = watchLimiters(watchers, instances)
    const counting = { store, instances, now, ownClock, watch, newsArrived }
    const limiters = await openLimiters(config, counting, expiry.timeOfAge(now()))
    opened.defer(() => limiters.close())
    announce = limiters.announce

    const usage = new UsageTally(store)
    const refusals = new RecentRefusals(store)
    const isTrusted = buildIsWithin(config.trustedProxies)
    const clientAddress = buildClientAddress(isTrusted)
    const credentialLimiter = new CredentialLimiter({
      store,
      failures: new MemoryAddressLimiter(FAILURES_PER_MINUTE),
      signIns: new MemoryAddressLimiter(SIGN_INS_PER_MINUTE),
      clientAddress,
      onRefused: why => metrics.credentialsRefused.inc({ why }),
    })

    const saveCounts = () => limiters.accounts.save(expiry.timeOfAge(now()))
    const saveRefused = () => credentialLimiter.save(now())
    const storeFailed = () => metrics.storeFailed()
    const saveRefusals = () => refusals.save()
    opened.defer(() => allTogether([saveCounts, () => usage.save({ isLast: true }), saveRefusals, saveRefused]))
    const stops: (() => Promise<void>)[] = []
    opened.defer(() => allTogether(stops))
    const every = (everyMs: number, what: string, work: () => Promise<void>, countFailure = storeFailed) => {
      let loggedAt = Number.NEGATIVE_INFINITY
      const onFailure = (error: unknown) => {
        countFailure()
        if (performance.now() - loggedAt < LOG_FAILURES_EVERY_MS) return
        loggedAt = performance.now()
        log.error({ err: error }, `failed to ${what}`)
      }
      stops.push(repeat(everyMs, work, onFailure))
    }
    every(SAVE_COUNTS_EVERY_MS, 'save the call counts', saveCounts, () => metrics.limiterErrors.inc())
    every(SAVE_USAGE_EVERY_MS, 'save the usage', () => usage.save())
    every(SAVE_USAGE_EVERY_MS, 'save the refused calls', saveRefusals)
    every(SAVE_REFUSED_EVERY_MS, 'record refused sign-ins', saveRefused)
    every(FORGET_EVERY_MS, 'delete expired data', () => expiry.deleteExpired(now()))
    every(INDEX_EVERY_MS, 'count and index animals', buildPetIndexing(store))
    const renew = () => certificates.refresh(now())
    every(refreshCertificatesEveryMs, 'check for renewed certificates', renew, () => {})

    const checkStore = buildStoreCheck(store)
    const state: ServiceState = { config, checkStore, isStopping: () => isStopping, troubles, certificates }
    if (config.databaseUrl === undefined) {
      const disk = new DiskWatch(options.diskSpace ?? (() => spaceOf(folderOfStore(config.dataFolder))))
      const sample = async () => disk.sample(now())
      every(HOUR_MS, 'read the free space of the disk', sample, () => {})
      state.disk = disk
    }
    const { backupTo } = config
    if (backupTo !== undefined) {
      const { store: own } = readState(databaseFile(config.dataFolder))
      const isClockInDoubt = () => expiry.knownTimes.inDoubtSince !== undefined
      const settings = { ...config, backupTo }
      const pace = options.backupPace
      const backups = new ScheduledBackups({ settings, store: own, env, now, isClockInDoubt, metrics, log, pace })
      opened.defer(() => backups.close())
      state.backups = backups
    }

    // For all listeners together, because service managers wait only so long.
    let cutOff: AbortSignal | undefined
    const doctor = new AbortController()
    let publicUrl = config.publicUrls[deployment]

    const parts: ListenerParts = {
      opened(listener) {
        opened.defer(() => {
          cutOff ??= AbortSignal.timeout(STOP_TIMEOUT_MS)
          return listener.close(cutOff)
        })
      },
      config,
      certificates,
      store,
      metrics,
      log,
      logCall: log.isLevelEnabled('info') ? buildAccessLog(logTo) : () => {},
      isTrusted,
      clientAddress,
      limiters,
      timeouts: { keepAliveMs: config.keepAliveSeconds * 1_000, ...timeouts },
      isStopping: () => isStopping,
      now,
    }
    const files = new PetFileThreads(config, now)
    opened.defer(() => files.close())
    const service: RunningService = {
      build,
      startedAt: now(),
      publicUrl: () => publicUrl,
      claimLinkSeconds: config.claimLinkSeconds,
      settings: () => describeSettings(env),
      instances,
      certificateDays: () => certificates.daysLeft(now()),
      async checkHealth() {
        const facts = { now: now(), service: state, clock: expiry.knownTimes }
        // Without the store, its own check says so.
        const sources = await store.listSources({}).catch(() => undefined)
        return runChecks(sources ? { ...facts, sources } : facts)
      },
      checkReadiness: () => checkReadiness(state, now()),
      examine: buildDoctor(env, doctor.signal),
    }
    const overload = new Overload(watchOverload(watchers), {
      ...limitsOfOverload(config.overloadWaitMs),
      ...options.overload,
    })
    const { consoleFolder } = options
    // It is the first to be opened and the last to be closed, so that health says what happens.
    const operatorUrl = await openOperatorListener({ ...parts, credentialLimiter, service, files, consoleFolder })
    const { url, baseUrl, redirectUrl } = await openPublicListener({ ...parts, usage, refusals, overload })
    publicUrl = baseUrl
    // Closed before the listeners, which wait for their calls.
    opened.defer(() => doctor.abort())
    const settings = settingsFile()?.path ?? 'environment'
    log.info({ url, baseUrl, operatorUrl, redirectUrl, deployment, store: served.name, settings }, 'listening')
    if (!arePagesBuilt()) log.warn(PAGES_NOT_BUILT)

    async function close(): Promise<void> {
      isStopping = true
      if (stopDelaySeconds > 0) {
        log.info({ stopDelaySeconds }, 'stopping')
        await sleep(stopDelaySeconds * 1_000)
      }
      await opened.disposeAsync()
      log.info('stopped')
    }
    return { url, baseUrl, operatorUrl, redirectUrl, store, close }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** In a store that is locked, each would wait for its own timeout; together, they share one. */
async function allTogether(works: readonly (() => Promise<void>)[]): Promise<void> {
  const outcomes = await Promise.allSettled(works.map(work => work()))
  const errors = outcomes.filter(outcome => outcome.status === 'rejected').map(({ reason }) => reason)
  if (errors.length > 0) throw errors.reduce((error, suppressed) => new SuppressedError(error, suppressed))
}

interface Watchers {
  metrics: Metrics
  log: Logger
  troubles: ServiceState['troubles']
  now(): number
}

/** @param waitMs 0 for a service that never refuses calls because of overload */
function limitsOfOverload(waitMs: number): Partial<OverloadLimits> {
  return waitMs === 0 ? NEVER_OVERLOADED : { longWaitMs: waitMs, maxWaitMs: waitMs / 2 }
}

function watchOverload({ metrics, log, troubles, now }: Watchers): OverloadWatch {
  let beganAt = 0
  return {
    began() {
      beganAt = performance.now()
      metrics.overloaded.set(1)
      troubles.set('overload', { since: now() })
      log.warn('overloaded: more calls arrive than can be answered, and some are refused with 503')
    },
    ended(refused) {
      metrics.overloaded.set(0)
      troubles.delete('overload')
      log.warn({ refused, seconds: Math.round((performance.now() - beganAt) / 100) / 10 }, 'the overload has ended')
    },
  }
}

function watchStore({ metrics, log, troubles, now }: Watchers): Omit<StoreWatch, 'changed'> {
  return {
    committed: (writes, milliseconds) => metrics.committed(writes, milliseconds),
    leaseLost(error) {
      metrics.leaseLost.set(1)
      if (!troubles.has('changes')) troubles.set('changes', { since: now() })
      log.error({ err: error }, 'lease lost: this instance serves nothing until it can renew its lease in the database')
    },
    leaseRestored() {
      metrics.leaseLost.set(0)
      troubles.delete('changes')
      log.info('lease restored')
    },
    upgradeFinished() {
      log.info(
        'upgrade finished: instances create animals side by side, and earlier releases can no longer use the store',
      )
    },
  }
}

function watchExpiry(log: Logger): ExpiryWatch {
  return {
    clockInDoubt(now, clockConfirmedAt) {
      log.error({ confirmedAt: isoTime(clockConfirmedAt) }, checkClock({ clockConfirmedAt }, now).message)
    },
    clockConfirmed: () => log.info('the clock is confirmed; expired data is deleted again'),
  }
}

function watchLimiters({ metrics, log, troubles, now }: Watchers, instances: () => number): LimiterWatch {
  return {
    failed(error) {
      metrics.limiterErrors.inc()
      log.error({ err: error }, 'failed to store a ban')
    },
    lost(error) {
      metrics.limiterAlone.set(1)
      troubles.set('redis', { since: now(), error })
      log.error({ err: error, instances: instances() }, 'Redis is unavailable: calls are counted in this process')
    },
    returned() {
      metrics.limiterAlone.set(0)
      troubles.delete('redis')
      log.info('Redis is available again: instances count calls together')
    },
    decidedAlone: () => metrics.decidedAlone.inc(),
  }
}

const INDEX_EVERY_MS = 1_000

/** With fewer animals, an index would not be faster. */
const MIN_ANIMALS = 1_000
/** Counting and indexing may each take 1/40 of the time, because creations have to wait for them. */
const MAX_MS = 25
const MAX_MS_WHEN_QUIET = 500

/** Returns the work that counts and indexes animals in the background. It takes less time while animals are being created. */
function buildPetIndexing(store: AnimalStore): () => Promise<void> {
  let newestId: bigint | undefined
  return () => {
    const { newestPetId } = store.revision()
    const isQuiet = newestPetId === newestId
    newestId = newestPetId
    return store.indexPets({ minAnimals: MIN_ANIMALS, maxMs: isQuiet ? MAX_MS_WHEN_QUIET : MAX_MS })
  }
}
