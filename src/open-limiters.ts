import type { Config } from './config.ts'
import type { AddressLimiter, RateLimiter } from './domain/rate-limiter.ts'
import type { Store } from './domain/store.ts'
import { AnonymousLimiter } from './memory/anonymous-limiter.ts'
import { MemoryRateLimiter } from './memory/rate-limiter.ts'

/** What counts calls: those of accounts, and those that bring no valid key. */
export interface Limiters {
  accounts: RateLimiter
  addresses: AddressLimiter
  close(): Promise<void>
}

export interface LimiterOptions {
  store: Store
  /** How many instances count together. */
  instances(): number
  /** Unix milliseconds, by the clock of this process. */
  now(): number
  /** Whether limits go by that clock too, wherever they are counted. Otherwise they go by the clock of what counts them. */
  ownClock: boolean
  watch: LimiterWatch
}

/** What is told of the limiters. */
export interface LimiterWatch {
  /** Something could not be kept, such as a ban. */
  failed(error: unknown): void
  /** Calls are counted in this process alone from now on, against this instance's share. */
  lost(error: unknown): void
  /** Calls are counted together again. */
  returned(): void
  /** A call was decided in this process alone. */
  decidedAlone(): void
}

/** Opens what the settings name to count calls. */
export async function openLimiters(config: Config, options: LimiterOptions): Promise<Limiters> {
  const { ban, anonymousPerMinute, redisUrls } = config
  const { store, now, watch } = options
  if (redisUrls.length > 0) {
    const { openRedisLimiters } = await import('./redis/limiters.ts')
    return openRedisLimiters(redisUrls, { ...options, ban, anonymousPerMinute })
  }
  return {
    accounts: await MemoryRateLimiter.open(store, ban, now(), watch.failed),
    addresses: new AnonymousLimiter(anonymousPerMinute),
    close: async () => {},
  }
}
