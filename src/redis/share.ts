import type { Limits } from '../domain/plan.ts'
import {
  type Count,
  type Counts,
  current,
  type Decision,
  decide,
  spend,
  type Window,
  windowsOf,
} from '../domain/rate-limiter.ts'
import { DAY_MS, MINUTE_MS } from '../domain/time.ts'

/** The calls of one account or address that this instance counts alone while Redis cannot be used. */
export interface Share {
  minute?: ShareCount
  day?: ShareCount
}

/** `used` is the count that was known when the share began, its `seed`, plus the calls admitted since. */
export interface ShareCount extends Count {
  seed: number
  /** How many of the calls admitted since are reported to Redis. */
  reported: number
}

/**
 * The limits that one of several instances applies alone: the rest of each window, divided among all instances. If any calls are left, each
 * instance admits at least one, because it cannot know whether the others receive any. So if fewer calls are left than there are instances,
 * each instance may still admit one.
 */
export function shareOf(limits: Limits, seed: Counts, instances: number, now: number): Limits {
  const part = (limit: number, used = 0) => {
    const left = Math.max(0, limit - used)
    return used + Math.min(left, Math.max(1, Math.floor(left / instances)))
  }
  return {
    perMinute: part(limits.perMinute, current(seed.minute, MINUTE_MS, now)?.used),
    perDay: part(limits.perDay, current(seed.day, DAY_MS, now)?.used),
  }
}

/** Applies the quota rule to the share alone. A window that is not in the share yet begins with what is `known`. */
export function spendShare(
  share: Share,
  known: Counts,
  limits: Limits,
  instances: number,
  now: number,
): { admitted: boolean; share: Share; decision: Decision } {
  const begun = begin(share, known, now)
  const { admitted, counts, decision } = spend(begun, shareOf(limits, seedOf(begun), instances, now), now)
  return {
    admitted,
    share: forBoth(name => counts[name] && { seed: 0, reported: 0, ...begun[name], ...counts[name] }),
    decision: decide(decision.outcome, withLimits(decision.windows, limits), now),
  }
}

/** The windows of the share: they show the account's limits, but the remaining calls of the share. */
export function windowsOfShare(
  share: Share,
  known: Counts,
  limits: Limits,
  instances: number,
  now: number,
): readonly Window[] {
  const begun = begin(share, known, now)
  return withLimits(windowsOf(begun, shareOf(limits, seedOf(begun), instances, now), now), limits)
}

/** The share for a new outage. It starts with the currently known counts, plus the calls not yet reported to Redis. */
export function renewShare(share: Share, known: Counts, now: number): Share {
  const unreported = unreportedOf(share)
  return forBoth((name, lengthMs) => {
    const count = share[name]
    if (!count || !current(count, lengthMs, now)) return undefined
    const { used: seed, resetsAt } = current(known[name], lengthMs, now) ?? { ...count, used: count.seed }
    return { seed, used: seed + (unreported[name]?.used ?? 0), reported: 0, resetsAt }
  })
}

/** The share as if these counts had been known when it began: it may get smaller, and its minute may end earlier. */
export function reseedShare(share: Share, known: Counts, now: number): Share {
  return forBoth((name, lengthMs) => {
    const count = share[name]
    const begun = current(known[name], lengthMs, now)
    if (!count || !begun) return count
    const { seed, used, reported, resetsAt } = count
    const more = Math.max(0, begun.used - seed - reported)
    return { seed: seed + more, used: used + more, reported, resetsAt: Math.min(resetsAt, begun.resetsAt) }
  })
}

/** The share without windows that are over. */
export function withoutExpired(share: Share, now: number): Share {
  return forBoth((name, lengthMs) => current(share[name], lengthMs, now) && share[name])
}

/** The calls in each window that are not reported to Redis. */
export function unreportedOf(share: Share): Counts {
  return forBoth(name => {
    const { used, seed, reported, resetsAt } = share[name] ?? EMPTY
    return used - seed > reported ? { used: used - seed - reported, resetsAt } : undefined
  })
}

/** One call in each window of the share. */
export function oneCall(share: Share): Counts {
  return forBoth(name => share[name] && { used: 1, resetsAt: share[name].resetsAt })
}

/** Marks calls as reported to Redis. Calls in a window that is over by now are ignored. */
export function markReported(share: Share, calls: Counts): Share {
  return change(share, calls, (count, more) => ({ ...count, reported: count.reported + more }))
}

/** Undoes `markReported`: Redis did not receive the report. */
export function unmarkReported(share: Share, calls: Counts): Share {
  return change(share, calls, (count, less) => ({ ...count, reported: count.reported - less }))
}

/** Removes reported calls from the share, because Redis did not admit them. */
export function removeRejected(share: Share, calls: Counts): Share {
  return change(share, calls, (count, less) => ({ ...count, used: count.used - less, reported: count.reported - less }))
}

const EMPTY: ShareCount = { used: 0, seed: 0, reported: 0, resetsAt: 0 }

function begin(share: Share, known: Counts, now: number): Share {
  return forBoth((name, lengthMs) => {
    if (current(share[name], lengthMs, now)) return share[name]
    const count = current(known[name], lengthMs, now)
    return count && { ...count, seed: count.used, reported: 0 }
  })
}

function seedOf(share: Share): Counts {
  return forBoth(name => share[name] && { used: share[name].seed, resetsAt: share[name].resetsAt })
}

function change(share: Share, calls: Counts, make: (count: ShareCount, calls: number) => ShareCount): Share {
  return forBoth(name => {
    const count = share[name]
    const part = calls[name]
    return count && part && count.resetsAt === part.resetsAt ? make(count, part.used) : count
  })
}

function withLimits(windows: readonly Window[], { perMinute, perDay }: Limits): Window[] {
  return windows.map(window => ({ ...window, limit: window.name === 'day' ? perDay : perMinute }))
}

function forBoth<Made>(make: (name: 'minute' | 'day', lengthMs: number) => Made | undefined): {
  minute?: Made
  day?: Made
} {
  const minute = make('minute', MINUTE_MS)
  const day = make('day', DAY_MS)
  return { ...(minute && { minute }), ...(day && { day }) }
}
