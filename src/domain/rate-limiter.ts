import type { Caller } from './account.ts'
import type { Limits } from './plan.ts'

/**
 * Port: who may call now. One call is one step; nothing that happens to the call later changes its count.
 * Its promises are tested by rate-limiter.contract.ts.
 */
export interface RateLimiter {
  /**
   * One atomic step: a banned key is told so; otherwise the call counts in both windows, or is refused and counts in neither.
   * A refusal that the key brought upon itself by ignoring earlier ones may begin a ban; the ban is stored before this resolves.
   * A limiter that needs not wait decides at once.
   */
  consume(caller: Caller, now: number): Decision | Promise<Decision>
  /** Stores what a crash must not lose. */
  save(now: number): Promise<void>
}

/** Port: how often whoever brings no valid key may call, counted by client address in minutes that begin at its first call. */
export interface AddressLimiter {
  /** Counts one call, or refuses it and does not. */
  consume(address: string, now: number): Decision | Promise<Decision>
  /** How the address stands, without counting anything; where it has looked often, as far as this process knows. */
  peek(address: string, now: number): Decision | Promise<Decision>
}

export interface Decision {
  outcome: 'admitted' | 'refused' | 'banned'
  /** Every window that counts this caller's calls. */
  windows: readonly Window[]
  /** The window that the `X-RateLimit-*` headers show. */
  shown: Window
  /** When it was taken, by the clock that the windows go by: Unix milliseconds. */
  decidedAt: number
}

/** One window as a caller sees it. */
export interface Window {
  name: 'minute' | 'day' | 'anonymous'
  lengthSeconds: number
  limit: number
  /** 0 ≤ remaining ≤ limit */
  remaining: number
  /** Unix milliseconds. */
  resetsAt: number
}

/** What one window has counted. It ends at `resetsAt` (Unix milliseconds) and never moves. */
export interface Count {
  used: number
  resetsAt: number
}

/** What one account has used. A window that never began is absent. */
export interface Counts {
  minute?: Count
  day?: Count
}

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

/**
 * The quota rule (contract, "Rate limits"): the whole of it, without any storage.
 * Two fixed windows, a minute that begins at the first counted call and a UTC calendar day; both count the call or neither does.
 */
export function spend(
  counts: Counts,
  limits: Limits,
  now: number,
): { admitted: boolean; counts: Counts; decision: Decision } {
  const { minute, day } = currentCounts(counts, now)
  const admitted = minute.used < limits.perMinute && day.used < limits.perDay
  const spent = admitted ? { minute: addOne(minute), day: addOne(day) } : counts
  const windows = windowsOf(spent, limits, now)
  return {
    admitted,
    counts: spent,
    decision: { outcome: admitted ? 'admitted' : 'refused', windows, shown: tightest(windows), decidedAt: now },
  }
}

/** How an account stands at `now`. A window that has not begun shows as it would if it began now. */
export function windowsOf(counts: Counts, limits: Limits, now: number): [minute: Window, day: Window] {
  const { minute, day } = currentCounts(counts, now)
  return [window('minute', MINUTE_MS, limits.perMinute, minute), window('day', DAY_MS, limits.perDay, day)]
}

/** What two places know of one account: of two windows the later one, of one window the higher count. */
export function higher(one: Counts, other: Counts, now: number): Counts {
  const minute = higherCount(current(one.minute, MINUTE_MS, now), current(other.minute, MINUTE_MS, now))
  const day = higherCount(current(one.day, DAY_MS, now), current(other.day, DAY_MS, now))
  return { ...(minute && { minute }), ...(day && { day }) }
}

/**
 * The count if its window is not over. A clock set back keeps the window, up to one window's length: a window that lies
 * further ahead was made by a clock that was wrong, and would lock the account out.
 */
export function current(count: Count | undefined, lengthMs: number, now: number): Count | undefined {
  return count && now < count.resetsAt && count.resetsAt - now <= 2 * lengthMs ? count : undefined
}

/** The window with the fewest calls remaining; of equals, the one that resets later. */
export function tightest(windows: readonly Window[]): Window {
  return windows.reduce((shown, other) => {
    if (other.remaining !== shown.remaining) return other.remaining < shown.remaining ? other : shown
    return other.resetsAt > shown.resetsAt ? other : shown
  })
}

/** How a decision looks while the key is banned: nothing remains until the ban ends. */
export function bannedDecision({ windows, shown, decidedAt }: Decision, endsAt: number): Decision {
  const closed = (window: Window): Window => ({ ...window, remaining: 0, resetsAt: endsAt })
  return { outcome: 'banned', windows: windows.map(closed), shown: closed(shown), decidedAt }
}

/** The windows of `now`, those too that would begin with it. */
function currentCounts(counts: Counts, now: number): Required<Counts> {
  return {
    minute: current(counts.minute, MINUTE_MS, now) ?? { used: 0, resetsAt: now + MINUTE_MS },
    day: current(counts.day, DAY_MS, now) ?? { used: 0, resetsAt: endOfUtcDay(now) },
  }
}

function addOne({ used, resetsAt }: Count): Count {
  return { used: used + 1, resetsAt }
}

function higherCount(one: Count | undefined, other: Count | undefined): Count | undefined {
  if (!one || !other) return one ?? other
  if (one.resetsAt !== other.resetsAt) return one.resetsAt > other.resetsAt ? one : other
  return one.used >= other.used ? one : other
}

function window(name: 'minute' | 'day', lengthMs: number, limit: number, { used, resetsAt }: Count): Window {
  return { name, lengthSeconds: lengthMs / 1_000, limit, remaining: Math.max(0, limit - used), resetsAt }
}

function endOfUtcDay(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS
}
