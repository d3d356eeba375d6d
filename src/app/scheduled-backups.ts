import { readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { formatBytes } from '../domain/bytes.ts'
import { conflict, UserError } from '../domain/errors.ts'
import { reasonOf } from '../domain/system-error.ts'
import { HOUR_MS, MINUTE_MS } from '../domain/time.ts'
import { removeAbandoned } from '../files/partial-file.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { newestOf, type ScheduledBackup, scheduledBackupsOf, scheduledName } from '../sqlite/backup/scheduled-names.ts'
import { databaseFile, logFile } from '../sqlite/data-folder/store-files.ts'
import { describeNewest, judgeAge } from './checks/backups.ts'
import { type Verdict, warn } from './checks/verdict.ts'
import { type Config, ensureOutside } from './config.ts'
import { runOwnCommand } from './own-process.ts'
import { repeat } from './repeat.ts'
import type { Environment } from './settings.ts'

/** Durations in milliseconds of a monotonic clock. */
export interface BackupPace {
  /** How often the folder is read. */
  lookEveryMs: number
  /** A service that is restarted again and again must not begin a backup each time. */
  startAfterMs: number
  retryAfterMs: number
  /** A run that takes longer is reported: the folder may not respond. */
  reportAfterMs: number
}

const PACE: BackupPace = {
  lookEveryMs: MINUTE_MS,
  startAfterMs: MINUTE_MS,
  retryAfterMs: 5 * MINUTE_MS,
  reportAfterMs: HOUR_MS,
}
/** The time in which a command that was interrupted removes its unfinished file. */
const CLOSE_TIMEOUT_MS = 2_000
/** What a backup leaves free on the disk of the store. */
const SPARE_BYTES = 100 * 1024 ** 2

interface Parts {
  settings: Pick<Config, 'backupEverySeconds' | 'backupKeep' | 'dataFolder' | 'deployment'> & { backupTo: string }
  /** See `stateOf`. */
  store: string
  env: Environment
  now(): number
  /** While it is, nothing is deleted for its age. */
  isClockInDoubt(): boolean
  metrics: Metrics
  log: Logger
  pace?: Partial<BackupPace> | undefined
}

/** Writes backups of the embedded store on a schedule, one at a time, and deletes its oldest ones. */
export class ScheduledBackups {
  readonly #parts: Parts
  readonly #pace: BackupPace
  readonly #startedAt: { wall: number; steady: number }
  readonly #closing = new AbortController()
  readonly #stopRepeating: () => Promise<void>
  /** The names that were in the folder at the start, or that this process has written. */
  #known: Set<string> | undefined
  #newest: ScheduledBackup | undefined
  #failure: { at: number; reason: string } | undefined
  #running: { wall: number; steady: number } | undefined
  #retryAt = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#pace = { ...PACE, ...parts.pace }
    this.#startedAt = this.#clocks()
    parts.metrics.backupInterval.set(parts.settings.backupEverySeconds)
    const run = () => this.#run()
    this.#stopRepeating = repeat(this.#pace.lookEveryMs, run, error => this.#fail(error))
    void run()
  }

  /** A folder that does not respond must not prevent the stop. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.race([this.#stopRepeating(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
  }

  check(now: number): Verdict {
    const { backupTo, backupEverySeconds } = this.#parts.settings
    const newest = describeNewest(backupTo, this.#newest)
    const age = judgeAge(backupTo, this.#newest, this.#newest?.at ?? this.#startedAt.wall, backupEverySeconds, now)
    if (this.#failure) {
      const verdict = warn(`${this.#failure.reason} ${newest}`, this.#failure.at)
      return age.outcome === 'ok' ? verdict : { ...verdict, outcome: 'fail' }
    }
    if (this.#running && performance.now() - this.#running.steady > this.#pace.reportAfterMs) {
      return warn(`A backup takes very long; check whether ${backupTo} responds. ${newest}`, this.#running.wall)
    }
    return age
  }

  async #run(): Promise<void> {
    if (this.#running || this.#closing.signal.aborted || performance.now() < this.#retryAt) return
    this.#running = this.#clocks()
    try {
      await this.#backUpIfDue()
      if (this.#failure) this.#parts.log.info('backups work again')
      this.#failure = undefined
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#fail(error)
    } finally {
      this.#running = undefined
    }
  }

  async #backUpIfDue(): Promise<void> {
    const { settings, now, isClockInDoubt } = this.#parts
    const { backupTo, backupKeep } = settings
    let { own, foreign } = await this.#find()
    const isDue = !this.#newest || now() - this.#newest.at >= settings.backupEverySeconds * 1_000
    if (isDue && performance.now() >= this.#startedAt.steady + this.#pace.startAfterMs) {
      await this.#write()
      ;({ own, foreign } = await this.#find())
      // Only now: a newer backup was verified. What is dated in the future is kept until its time has come.
      const old = own.filter(({ at }) => at <= now()).slice(0, -backupKeep)
      const isSafe = !foreign && !isClockInDoubt()
      for (const { name } of isSafe ? old : []) await rm(join(backupTo, name), { force: true })
    }
    if (!foreign) return
    const remedy = 'give each service its own folder, and restart it. Until then, no backup is deleted'
    throw conflict(`Another service has written ${join(backupTo, foreign.name)}: ${remedy}.`)
  }

  /** The backups of this store, oldest first. Those of another service on a copy of it do not count: this one needs its own. */
  async #find(): Promise<{ own: ScheduledBackup[]; foreign: ScheduledBackup | undefined }> {
    const { settings, store, now, metrics } = this.#parts
    const { backupTo, dataFolder } = settings
    await ensureOutside(backupTo, dataFolder)
    const found = scheduledBackupsOf(await readdir(backupTo, { withFileTypes: true }), store)
    if (found.length === 0 && this.#known?.size) {
      throw conflict(`The backups in ${backupTo} are gone; is its disk mounted?`)
    }
    this.#known ??= new Set(found.map(({ name }) => name))
    const isForeign = ({ name, at }: ScheduledBackup) => at >= this.#startedAt.wall && !this.#known?.has(name)
    const own = found.filter(backup => !isForeign(backup))
    this.#newest = newestOf(own, now())
    metrics.backupAt.set((this.#newest?.at ?? 0) / 1_000)
    return { own, foreign: found.find(isForeign) }
  }

  /** In a separate process: a folder that does not respond would stop this one. */
  async #write(): Promise<void> {
    const { settings, store, env, now, log } = this.#parts
    const { backupTo, dataFolder, deployment } = settings
    await this.#ensureRoom()
    const name = scheduledName(store, now())
    const file = join(backupTo, name)
    // These are all settings of this service; the file may have changed since it was read.
    const own = { ...env, PETSTORE_ENV_FILE: '', PETSTORE_DATA: dataFolder, PETSTORE_DEPLOYMENT: deployment }
    const begun = performance.now()
    const limits = { signal: this.#closing.signal, killSignal: 'SIGTERM' } as const
    const { stderr, error } = await runOwnCommand(['backup', file, '--json'], own, limits)
    // Also after a failure: the command may have been killed when the file had just got its name.
    if (await stat(file).catch(() => undefined)) this.#known?.add(name)
    if (error) throw stderr === '' ? error : conflict(stderr.replaceAll(/^error: /gm, '').trim())
    log.info({ file, seconds: Math.round((performance.now() - begun) / 100) / 10 }, 'backup written and verified')
  }

  /** A backup that fills the disk of the store would stop creations. What a killed one has left must not take the room of all others. */
  async #ensureRoom(): Promise<void> {
    const { backupTo, dataFolder } = this.#parts.settings
    const database = databaseFile(dataFolder)
    const [from, to] = [await stat(database), await stat(backupTo)]
    // While a service runs, its log exists.
    const needed = from.size + (await stat(logFile(database))).size + (from.dev === to.dev ? SPARE_BYTES : 0)
    // The folder has just responded: this does not block.
    removeAbandoned(backupTo)
    const { bavail, bsize } = await statfs(backupTo)
    const free = bavail * bsize
    if (free >= needed) return
    const room = `${formatBytes(needed)} must be free, and only ${formatBytes(free)} are`
    throw conflict(`There is no room for a backup in ${backupTo}: ${room}.`)
  }

  #fail(error: unknown): void {
    const { settings, now, metrics, log } = this.#parts
    const why = `No backup can be written to ${settings.backupTo} (${reasonOf(error)}).`
    const reason = error instanceof UserError ? error.message : why
    if (!this.#failure) log.error({ reason }, 'the backup failed; it will be retried')
    this.#failure = { at: this.#failure?.at ?? now(), reason }
    this.#retryAt = performance.now() + this.#pace.retryAfterMs
    metrics.backupErrors.inc()
  }

  #clocks() {
    return { wall: this.#parts.now(), steady: performance.now() }
  }
}
