import { isoTime } from '../domain/time.ts'
import { withoutSecrets } from '../domain/untrusted-text.ts'
import type { HealthPart } from '../operator/running-service.ts'
import type { Certificates } from './certificates.ts'

interface Parts {
  certificates: Certificates
  isRedisUsed: boolean
  hasChangeFeed: boolean
  /** The maximum delay of the continuous copy in seconds; undefined if there is none. */
  copyDelay: number | undefined
  isStopping(): boolean
  /** Milliseconds of a monotonic clock. */
  steadyNow?(): number
}

/** The health of the parts of the service, for operators. */
export class HealthParts {
  readonly #parts: Parts
  #redisLost: { at: number; reason: string } | undefined
  #changeFeedLostAt: number | undefined
  readonly #steadyNow: () => number
  /**
   * The copy has everything up to `to`, in Unix milliseconds; undefined before the first report. `behindMs` is the delay at the time of
   * the report. `reportedAt` is read from the monotonic clock, and initially the start.
   */
  #copied: { to: number | undefined; behindMs: number; reportedAt: number }
  #copyFailure: { at: number; reason: string } | undefined
  #overloadedAt: number | undefined
  #clockDoubt: { at: number; message: string } | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#steadyNow = parts.steadyNow ?? (() => performance.now())
    this.#copied = { to: undefined, behindMs: 0, reportedAt: this.#steadyNow() }
  }

  redisLost(error: unknown, at: number): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.#redisLost = { at, reason: withoutSecrets(reason).replace(/\.$/, '') }
  }

  redisReturned(): void {
    this.#redisLost = undefined
  }

  overloaded(at: number): void {
    this.#overloadedAt = at
  }

  overloadEnded(): void {
    this.#overloadedAt = undefined
  }

  clockInDoubt(message: string, at: number): void {
    this.#clockDoubt = { at, message }
  }

  clockConfirmed(): void {
    this.#clockDoubt = undefined
  }

  changeFeedLost(at: number): void {
    this.#changeFeedLostAt ??= at
  }

  changeFeedRestored(): void {
    this.#changeFeedLostAt = undefined
  }

  copied(to: number, at: number): void {
    this.#copied = { to, behindMs: Math.max(0, at - to), reportedAt: this.#steadyNow() }
    this.#copyFailure = undefined
  }

  copyFailed(reason: string, at: number): void {
    this.#copyFailure = { at: this.#copyFailure?.at ?? at, reason }
  }

  get isCopyFailing(): boolean {
    return this.#copyFailure !== undefined
  }

  list(now: number): HealthPart[] {
    const { certificates, hasChangeFeed, copyDelay } = this.#parts
    return [
      this.#service(),
      this.#counting(),
      this.#clock(),
      ...(hasChangeFeed ? [this.#changes()] : []),
      ...(copyDelay === undefined ? [] : [this.#copy(now, copyDelay)]),
      ...certificates.problems(now).map(([listener, problems]) => {
        const part = `${listener} certificate`
        return problems.length === 0 ? ok(part, 'The certificate is valid.') : degraded(part, problems.join(' '))
      }),
    ]
  }

  #service(): HealthPart {
    if (this.#parts.isStopping()) return degraded('service', 'The service is stopping.')
    if (this.#overloadedAt === undefined) return ok('service', 'The service accepts calls.')
    const message = 'The service is overloaded: more calls arrive than it can answer, and it refuses some with 503.'
    return degraded('service', message, this.#overloadedAt)
  }

  #counting(): HealthPart {
    if (!this.#parts.isRedisUsed) return ok('counting', 'Calls are counted in this process.')
    if (!this.#redisLost) return ok('counting', 'All instances count calls together, in Redis.')
    const { reason, at } = this.#redisLost
    const message = `${reason}. Without Redis, this instance counts its own share of the calls.`
    return degraded('counting', message, at)
  }

  #clock(): HealthPart {
    if (!this.#clockDoubt) return ok('clock', 'The clock agrees with the times in the store.')
    return degraded('clock', this.#clockDoubt.message, this.#clockDoubt.at)
  }

  #changes(): HealthPart {
    if (this.#changeFeedLostAt === undefined) return ok('changes', 'Changes by other instances apply immediately.')
    const message = 'The change feed is lost: changes by other instances apply within 5 seconds.'
    return degraded('changes', message, this.#changeFeedLostAt)
  }

  #copy(now: number, delaySeconds: number): HealthPart {
    const { to, behindMs, reportedAt } = this.#copied
    const reached =
      to === undefined ? 'This service has not copied anything yet.' : `The copy has every change until ${isoTime(to)}.`
    // A network file system that does not respond reports no failure. The monotonic clock is needed because the system clock may be set.
    const isSilent = behindMs + this.#steadyNow() - reportedAt > delaySeconds * 1_000
    if (!this.#copyFailure && isSilent) {
      const finding = to === undefined ? 'is slow or does not respond' : 'does not respond'
      return degraded('copy', `The folder of the copy ${finding}. ${reached}`, to && Math.min(to, now))
    }
    if (!this.#copyFailure) return ok('copy', reached)
    return degraded('copy', `${this.#copyFailure.reason} ${reached}`, this.#copyFailure.at)
  }
}

function ok(part: string, message: string): HealthPart {
  return { part, state: 'ok', message, since: null }
}

function degraded(part: string, message: string, since?: number): HealthPart {
  return { part, state: 'degraded', message, since: since === undefined ? null : isoTime(since) }
}
