import type { Config } from './config.ts'
import type { AddressLimiter, RateLimiter } from './domain/rate-limiter.ts'
import { AnonymousLimiter } from './memory/anonymous-limiter.ts'
import { MemoryRateLimiter } from './memory/rate-limiter.ts'
import type { RedisLimiterOptions } from './redis/limiters.ts'

/** What counts calls: those of accounts, and those that bring no valid key. */
export interface Limiters {
  accounts: RateLimiter
  addresses: AddressLimiter
  close(): Promise<void>
}

/** What is no setting. Counting in this process needs part of it. */
type LimiterOptions = Omit<RedisLimiterOptions, 'ban' | 'anonymousPerMinute'>

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
