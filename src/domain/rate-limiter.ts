import type { Caller } from './account.ts'
import type { Limits } from './plan.ts'
import { DAY_MS, MINUTE_MS } from './time.ts'

/** Port: limits the calls of each account. What happens to a call later does not change its count. Promises: rate-limiter.contract.ts. */
export interface RateLimiter {
  /**
   * Decides one call in one atomic step. The call is banned, or counts in both windows, or is refused and counts in neither.
   * If a source ignores its refusals, the key is banned for it, and the ban is stored before this resolves. A limiter that does not have
   * to wait returns its decision directly.
   */
  consume(caller: Caller, source: Source, now: number): Decision | Promise<Decision>
  /** Returns how many calls an account has used, across all instances, without counting a call. */
  read(account: CountedAccount, now: number): Promise<CountsReading>
  /** Saves the counts to the store, so that a crash does not lose them. */
  save(now: number): Promise<void>
}

/** Returns the client address of a call, or its /64. Called only when needed: that takes longer than counting the call. */
export type Source = () => string

export type CountedAccount = Pick<Caller, 'accountId' | 'limits'>

export interface CountsReading {
  /** May include windows that are over. */
  counts: Counts
  /** Unix milliseconds, by the clock that times the windows. */
  readAt: number
  /** False if calls counted by other instances may be missing. */
  isComplete: boolean
}

/** Port: limits calls without a valid key, per client address, in minutes that begin with the first call. */
export interface AddressLimiter {
  /** Counts one call, or refuses it without counting it. */
  consume(address: string, now: number): Decision | Promise<Decision>
  /** Returns the current window of the address without counting a call. May be slightly stale if called often. */
  peek(address: string, now: number): Decision | Promise<Decision>
  /** What this process knows about the window of the address, without a query. */
  known(address: string, now: number): Decision
  /** How many calls of the address this process may have in progress that will perhaps be counted, without a query. */
  room(address: string, now: number): number
}

export interface Decision {
  outcome: 'admitted' | 'refused' | 'banned'
  /** Every window that counts this caller's calls. */
  windows: readonly Window[]
  /** The window that the `X-RateLimit-*` headers show. */
  shown: Window
  /** Unix milliseconds, by the clock that times the windows. */
  decidedAt: number
}

/** A window as the caller sees it. */
export interface Window {
  name: 'minute' | 'day' | 'anonymous'
  lengthSeconds: number
  limit: number
  /** 0 ≤ remaining ≤ limit */
  remaining: number
  /** Unix milliseconds. */
  resetsAt: number
}

/** The calls counted in one window, which ends at `resetsAt` (Unix milliseconds) and never moves. */
export interface Count {
  used: number
  resetsAt: number
}

/** The calls of one account. A window that has not begun is absent. */
export interface Counts {
  minute?: Count
  day?: Count
}

/**
 * The quota rule (contract, "Limits"), without any storage. There are two fixed windows: a minute that begins with the first
 * counted call, and the UTC calendar day. Both count the call, or neither does.
 */
export function spend(
  counts: Counts,
  limits: Limits,
  now: number,
): { admitted: boolean; counts: Counts; decision: Decision } {
  const { minute, day } = currentCounts(counts, now)
  const admitted = minute.used < limits.perMinute && day.used < limits.perDay
  const spent = admitted ? { minute: addOne(minute), day: addOne(day) } : counts
  return {
    admitted,
    counts: spent,
    decision: decide(admitted ? 'admitted' : 'refused', windowsOf(spent, limits, now), now),
  }
}

/** A decision that shows the tightest window. */
export function decide(outcome: Decision['outcome'], windows: readonly Window[], decidedAt: number): Decision {
  return { outcome, windows, shown: tightest(windows), decidedAt }
}

/** The windows of an account at `now`. A window that has not begun is shown as if it began now. */
export function windowsOf(counts: Counts, limits: Limits, now: number): [minute: Window, day: Window] {
  const { minute, day } = currentCounts(counts, now)
  return [windowOf('minute', limits.perMinute, minute), windowOf('day', limits.perDay, day)]
}

export function windowOf(name: Window['name'], limit: number, { used, resetsAt }: Count): Window {
  const lengthMs = name === 'day' ? DAY_MS : MINUTE_MS
  return { name, lengthSeconds: lengthMs / 1_000, limit, remaining: Math.max(0, limit - used), resetsAt }
}

/** Merges two counts of one account: the later of two windows, or the higher count of the same window. */
export function maxCounts(one: Counts, other: Counts, now: number): Counts {
  const minute = maxCount(current(one.minute, MINUTE_MS, now), current(other.minute, MINUTE_MS, now))
  const day = maxCount(current(one.day, DAY_MS, now), current(other.day, DAY_MS, now))
  return { ...(minute && { minute }), ...(day && { day }) }
}

/**
 * The count, if its window is not over. If a clock was set back, the window is kept, but only up to one length ahead: a window
 * further ahead comes from a wrong clock and would lock the account out.
 */
export function current(count: Count | undefined, lengthMs: number, now: number): Count | undefined {
  return count && now < count.resetsAt && count.resetsAt - now <= 2 * lengthMs ? count : undefined
}

/** The window with the fewest calls remaining; if equal, the one that resets later. */
export function tightest(windows: readonly Window[]): Window {
  return windows.reduce((shown, other) => {
    if (other.remaining !== shown.remaining) return other.remaining < shown.remaining ? other : shown
    return other.resetsAt > shown.resetsAt ? other : shown
  })
}

/**
 * The decision for a banned call: nothing remains until the ban is over and no window is exhausted.
 * @param windows without this call, which does not count
 */
export function bannedDecision(windows: readonly Window[], endsAt: number, decidedAt: number): Decision {
  const exhausted = windows.filter(({ remaining }) => remaining === 0)
  const resetsAt = Math.max(endsAt, ...exhausted.map(window => window.resetsAt))
  const closed = (window: Window): Window => ({ ...window, remaining: 0, resetsAt })
  return { outcome: 'banned', windows: windows.map(closed), shown: closed(tightest(windows)), decidedAt }
}

/** Both counts at `now`. A window that is over is replaced with an empty one. */
function currentCounts(counts: Counts, now: number): Required<Counts> {
  return {
    minute: current(counts.minute, MINUTE_MS, now) ?? { used: 0, resetsAt: now + MINUTE_MS },
    day: current(counts.day, DAY_MS, now) ?? { used: 0, resetsAt: endOfUtcDay(now) },
  }
}

function addOne({ used, resetsAt }: Count): Count {
  return { used: used + 1, resetsAt }
}

function maxCount(one: Count | undefined, other: Count | undefined): Count | undefined {
  if (!one || !other) return one ?? other
  if (one.resetsAt !== other.resetsAt) return one.resetsAt > other.resetsAt ? one : other
  return one.used >= other.used ? one : other
}

function endOfUtcDay(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS
}
