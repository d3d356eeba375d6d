import type { Account } from '../account.ts'
import { type Count, current, type RateLimiter } from '../rate-limiter.ts'
import type { Store } from '../store.ts'
import { DAY_MS, MINUTE_MS } from '../time.ts'
import { dayOf, daysFrom } from '../usage.ts'

export interface AccountWindows {
  /** Unix milliseconds, by the clock that times the windows. */
  readAt: number
  /** False if calls of the last second, or of other instances during a Redis outage, may be missing. */
  isComplete: boolean
  minute: WindowUse
  day: WindowUse
}

export interface WindowUse {
  limit: number
  /** Can exceed the limit after a change to a smaller plan. */
  used: number
  remaining: number
  /** Unix milliseconds; undefined for a window that has not begun. */
  resetsAt: number | undefined
}

/**
 * Reads the current windows of an account, across all instances. Does not count as a call.
 * @param limiter counts the calls; without it, the windows are as saved by the instances, which each save at least once per second
 */
export async function readWindows(
  store: Store,
  { id: accountId, limits }: Account,
  now: number,
  limiter?: RateLimiter,
): Promise<AccountWindows> {
  const saved = async () => ({ counts: await store.findCounts(accountId), readAt: now, isComplete: false })
  const { counts, readAt, isComplete } = await (limiter?.read({ accountId, limits }, now) ?? saved())
  const day = current(counts.day, DAY_MS, readAt)
  const atLeast = isComplete ? 0 : await admittedToday(store, accountId, readAt)
  return {
    readAt,
    isComplete,
    minute: useOf(limits.perMinute, current(counts.minute, MINUTE_MS, readAt)),
    day: useOf(limits.perDay, day, atLeast),
  }
}

/** Every instance records the calls that it has admitted as usage, even those that it has counted alone. */
async function admittedToday(store: Store, accountId: bigint, now: number): Promise<number> {
  const day = dayOf(now)
  const [sum] = await store.sumUsage({ range: daysFrom(day, day), accountId, by: [] })
  return sum?.admitted ?? 0
}

function useOf(limit: number, count: Count | undefined, atLeast = 0): WindowUse {
  const used = Math.max(count?.used ?? 0, atLeast)
  return { limit, used, remaining: Math.max(0, limit - used), resetsAt: count?.resetsAt }
}
