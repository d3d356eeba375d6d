import { isoTime } from '../domain/time.ts'
import { withoutSecrets } from '../domain/untrusted-text.ts'
import type { HealthPart } from '../operator/running-service.ts'
import type { Certificates } from './certificates.ts'
import type { ScheduledBackups } from './scheduled-backups.ts'

interface Parts {
  certificates: Certificates
  isRedisUsed: boolean
  isStoreShared: boolean
  isStopping(): boolean
}

/** The health of the parts of the service, for operators. */
export class HealthParts {
  readonly #parts: Parts
  #redisLost: { at: number; reason: string } | undefined
  #leaseLostAt: number | undefined
  #backups: ScheduledBackups | undefined
  #overloadedAt: number | undefined
  #clockDoubt: { at: number; message: string } | undefined

  constructor(parts: Parts) {
    this.#parts = parts
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

  leaseLost(at: number): void {
    this.#leaseLostAt ??= at
  }

  leaseRestored(): void {
    this.#leaseLostAt = undefined
  }

  watchBackups(backups: ScheduledBackups): void {
    this.#backups = backups
  }

  list(now: number): HealthPart[] {
    const { certificates, isStoreShared } = this.#parts
    return [
      this.#service(),
      this.#counting(),
      this.#clock(),
      ...(isStoreShared ? [this.#changes()] : []),
      ...(this.#backups ? [this.#backups.health(now)] : []),
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
    if (this.#leaseLostAt === undefined) return ok('changes', 'Changes by other instances apply immediately.')
    const message = 'The lease in the database cannot be renewed: this instance serves nothing until it can.'
    return degraded('changes', message, this.#leaseLostAt)
  }
}

function ok(part: string, message: string): HealthPart {
  return { part, state: 'ok', message, since: null }
}

function degraded(part: string, message: string, since?: number): HealthPart {
  return { part, state: 'degraded', message, since: since === undefined ? null : isoTime(since) }
}
