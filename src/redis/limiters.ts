import type { BanPolicy } from '../domain/ban.ts'
import type { AddressLimiter, RateLimiter } from '../domain/rate-limiter.ts'
import type { Store } from '../domain/store.ts'
import { RedisAddressLimiter } from './address-limiter.ts'
import { keysOf } from './keys.ts'
import { Parts } from './parts.ts'
import { RedisRateLimiter } from './rate-limiter.ts'
import { SharedCounter } from './shared-counter.ts'

export interface RedisLimiterOptions {
  store: Store
  ban: BanPolicy
  anonymousPerMinute: number
  /** How many instances count together. */
  instances(): number
  /** Unix milliseconds, by the clock of this process. */
  now(): number
  /** Whether limits go by that clock too. Otherwise they go by the clock of Redis. */
  ownClock: boolean
  watch: LimiterWatch
}

/** What is told of the limiters. */
interface LimiterWatch {
  /** Something could not be kept, such as a ban. */
  failed(error: unknown): void
  /** Redis, or a part of it, cannot be used: calls are counted in this process, against this instance's share. */
  lost(error: unknown): void
  /** All of Redis can be used again, and has been told what was admitted without it. */
  returned(): void
  /** A call was decided in this process alone. */
  decidedAlone(): void
}

/**
 * Opens what counts calls in Redis, for all instances together. If Redis cannot be reached, this one begins alone.
 * @param urls one server, or nodes of one cluster (connection.ts)
 */
export async function openRedisLimiters(
  urls: readonly string[],
  { store, instances, now, ownClock, watch, ban, anonymousPerMinute }: RedisLimiterOptions,
): Promise<{ accounts: RateLimiter; addresses: AddressLimiter; close(): Promise<void> }> {
  const parts = new Parts(urls, {
    instances,
    catchUp: part => counter.catchUp(part, now()),
    lost: error => watch.lost(error),
    returned: () => watch.returned(),
  })
  const counter = new SharedCounter({ parts, ownClock, decidedAlone: () => watch.decidedAlone() })
  const keys = keysOf(store)
  await parts.ready(keys.trial)
  return {
    accounts: new RedisRateLimiter({
      counter,
      connection: parts.connection,
      keyOf: keys.account,
      store,
      policy: ban,
      ownClock,
      failed: error => watch.failed(error),
    }),
    addresses: new RedisAddressLimiter(counter, keys.address, anonymousPerMinute),
    close: async () => parts.close(),
  }
}
