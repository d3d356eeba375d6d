import type { AddressLimiter, RateLimiter } from '../domain/rate-limiter.ts'
import type { AnimalStore } from '../domain/store/animals.ts'
import { RedisAddressLimiter } from './address-limiter.ts'
import { subscribe } from './connection.ts'
import { keysOf } from './keys.ts'
import { type AccountLimiterOptions, RedisRateLimiter } from './rate-limiter.ts'
import { type CounterOptions, SharedCounter } from './shared-counter.ts'

export type RedisLimiterOptions = CounterOptions &
  AccountLimiterOptions & {
    store: Pick<AnimalStore, 'cursorSecret'>
    anonymousPerMinute: number
    /** An instance, perhaps this one, has changed something in the store. It may be called without a change, and not for every one. */
    newsArrived(): void
  }

/**
 * Counts calls in Redis, for all instances together. If Redis cannot be reached, this instance starts without it.
 *
 * - A *node* is one Redis server: the only one, or one of a cluster. Each node works or fails on its own (nodes.ts).
 * - A *tally* is what this instance knows about one account or address (consume.ts).
 * - While a node is down, this instance counts alone, against its *share*: the rest of each limit, divided among all instances. Later it
 *   *hands over* these calls to Redis (domain/outage-ledger.ts).
 * @param urls one server, or nodes of one cluster (connection.ts)
 */
export async function openRedisLimiters(
  urls: readonly string[],
  options: RedisLimiterOptions,
): Promise<{ accounts: RateLimiter; addresses: AddressLimiter; announce(): void; close(): Promise<void> }> {
  const keys = keysOf(options.store)
  const counter = new SharedCounter(urls, options)
  const news = subscribe(urls, keys.news, options.newsArrived)
  await counter.nodes.ready(keys.trial)
  return {
    accounts: new RedisRateLimiter(counter, keys.account, options),
    addresses: new RedisAddressLimiter(counter, keys.address, options.anonymousPerMinute),
    announce: () => void counter.nodes.connection.run('news', keys.news).catch(() => {}),
    async close() {
      news.close()
      counter.nodes.close()
    },
  }
}
