import { withoutSecrets } from '../domain/outside-text.ts'
import { isoTime } from '../domain/time.ts'
import type { HealthPart } from '../operator/running-service.ts'
import type { Certificates } from './certificates.ts'

interface Parts {
  certificates: Certificates
  isRedisUsed: boolean
  hasChangeFeed: boolean
  isStopping(): boolean
}

/** Knows how the parts of the service are doing, for operators. */
export class HealthParts {
  readonly #parts: Parts
  #redisLost: { at: number; reason: string } | undefined
  #changeFeedLostAt: number | undefined

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

  changeFeedLost(at: number): void {
    this.#changeFeedLostAt ??= at
  }

  changeFeedRestored(): void {
    this.#changeFeedLostAt = undefined
  }

  /** How each part is doing. */
  list(now: number): HealthPart[] {
    const { certificates, hasChangeFeed, isStopping } = this.#parts
    return [
      isStopping() ? degraded('service', 'The service is stopping.') : ok('service', 'The service takes calls.'),
      this.#counting(),
      ...(hasChangeFeed ? [this.#changes()] : []),
      ...certificates.problems(now).map(([listener, problem]) => {
        const part = `${listener} certificate`
        return problem === undefined
          ? ok(part, 'The certificate is valid.')
          : degraded(part, `The certificate ${problem}.`)
      }),
    ]
  }

  #counting(): HealthPart {
    if (!this.#parts.isRedisUsed) return ok('counting', 'Calls are counted in this process.')
    if (!this.#redisLost) return ok('counting', 'All instances count calls together, in Redis.')
    const { reason, at } = this.#redisLost
    const message = `${reason}. Without Redis, this instance counts its own share of the calls.`
    return degraded('counting', message, at)
  }

  #changes(): HealthPart {
    if (this.#changeFeedLostAt === undefined) return ok('changes', 'Changes by other instances apply at once.')
    const message = 'The change feed is lost: changes by other instances apply within 5 seconds.'
    return degraded('changes', message, this.#changeFeedLostAt)
  }
}

function ok(part: string, message: string): HealthPart {
  return { part, state: 'ok', message, since: null }
}

function degraded(part: string, message: string, since?: number): HealthPart {
  return { part, state: 'degraded', message, since: since === undefined ? null : isoTime(since) }
}
