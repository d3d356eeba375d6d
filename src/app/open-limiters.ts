import type { AddressLimiter, RateLimiter } from '../domain/rate-limiter.ts'
import { MemoryAddressLimiter } from '../memory/address-limiter.ts'
import { MemoryRateLimiter } from '../memory/rate-limiter.ts'
import type { RedisLimiterOptions } from '../redis/limiters.ts'
import type { Config } from './config.ts'

/** The limiters for accounts, and for addresses that call without a valid key. */
export interface Limiters {
  accounts: RateLimiter
  addresses: AddressLimiter
  /** Lets the other instances know that this one has changed something in the store. */
  announce(): void
  close(): Promise<void>
}

type LimiterOptions = Omit<RedisLimiterOptions, 'ban' | 'anonymousPerMinute'>
export type LimiterWatch = RedisLimiterOptions['watch']

/** @param timeOfAge the time at which the age of saved counts is judged */
export async function openLimiters(config: Config, options: LimiterOptions, timeOfAge: number): Promise<Limiters> {
  const { ban, anonymousPerMinute, redisUrls } = config
  const { store, watch } = options
  if (redisUrls.length > 0) {
    const { openRedisLimiters } = await import('../redis/limiters.ts')
    return openRedisLimiters(redisUrls, { ...options, ban, anonymousPerMinute })
  }
  return {
    accounts: await MemoryRateLimiter.open(store, ban, timeOfAge, watch.failed),
    addresses: new MemoryAddressLimiter(anonymousPerMinute),
    announce() {},
    close: async () => {},
  }
}
