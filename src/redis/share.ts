import type { Limits } from '../domain/plan.ts'
import {
  type Count,
  type Counts,
  current,
  DAY_MS,
  type Decision,
  MINUTE_MS,
  spend,
  tightest,
  type Window,
  windowsOf,
} from '../domain/rate-limiter.ts'

/** What this instance counts by itself, of one account or address, while Redis cannot be used. */
export interface Share {
  minute?: ShareCount
  day?: ShareCount
}

/** `used` is what was known when the share began, its `seed`, and what this instance has admitted since. */
export interface ShareCount extends Count {
  seed: number
  /** How many of the calls admitted since Redis knows of. */
  told: number
}

/**
 * The limits as one of several instances applies them by itself: what is left of each window, divided among all of them.
 * Of whatever is left each admits one call, since it cannot know who else is asked: where fewer calls are left than there are
 * instances, these may together admit as many as they are.
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

/** The quota rule against the share alone. A window that the share does not hold begins as it is `known`. */
export function spendShare(
  share: Share,
  known: Counts,
  limits: Limits,
  instances: number,
  now: number,
): { admitted: boolean; share: Share; decision: Decision } {
  const begun = begin(share, known, now)
  const { admitted, counts, decision } = spend(begun, shareOf(limits, seedOf(begun), instances, now), now)
  const windows = showLimits(decision.windows, limits)
  return {
    admitted,
    share: ofBoth(name => counts[name] && { seed: 0, told: 0, ...begun[name], ...counts[name] }),
    decision: { ...decision, windows, shown: tightest(windows) },
  }
}

/** How who goes by a share stands: the limits are the account's, but only the share remains. */
export function windowsOfShare(
  share: Share,
  known: Counts,
  limits: Limits,
  instances: number,
  now: number,
): readonly Window[] {
  const begun = begin(share, known, now)
  return showLimits(windowsOf(begun, shareOf(limits, seedOf(begun), instances, now), now), limits)
}

/**
 * The share with which another outage begins: it starts from what is known by now, and of what was admitted before there is left
 * what Redis does not know of.
 */
export function renewShare(share: Share, known: Counts, now: number): Share {
  const untold = untoldOf(share)
  return ofBoth((name, lengthMs) => {
    const count = share[name]
    if (!count || !current(count, lengthMs, now)) return undefined
    const { used: seed, resetsAt } = current(known[name], lengthMs, now) ?? { ...count, used: count.seed }
    return { seed, used: seed + (untold[name]?.used ?? 0), told: 0, resetsAt }
  })
}

/** The share as it would be if that had been known when it began: more was used, or its minute had begun earlier. */
export function reseedShare(share: Share, known: Counts, now: number): Share {
  return ofBoth((name, lengthMs) => {
    const count = share[name]
    const begun = current(known[name], lengthMs, now)
    if (!count || !begun) return count
    const more = Math.max(0, begun.used - count.seed - count.told)
    return {
      seed: count.seed + more,
      used: count.used + more,
      told: count.told,
      resetsAt: Math.min(count.resetsAt, begun.resetsAt),
    }
  })
}

/** The share without windows that are over. */
export function withoutOver(share: Share, now: number): Share {
  return ofBoth((name, lengthMs) => current(share[name], lengthMs, now) && share[name])
}

/** How many calls of each window Redis does not know of. */
export function untoldOf(share: Share): Counts {
  return ofBoth(name => {
    const { used, seed, told, resetsAt } = share[name] ?? NOTHING
    return used - seed > told ? { used: used - seed - told, resetsAt } : undefined
  })
}

/** One call in each window of the share. */
export function oneCall(share: Share): Counts {
  return ofBoth(name => share[name] && { used: 1, resetsAt: share[name].resetsAt })
}

/** Notes that Redis knows of so many calls more. Of a window that is over by now nothing is noted. */
export function noteTold(share: Share, calls: Counts): Share {
  return change(share, calls, (count, told) => ({ ...count, told: count.told + told }))
}

/** Notes that Redis does not know of so many calls after all. */
export function noteUntold(share: Share, calls: Counts): Share {
  return change(share, calls, (count, told) => ({ ...count, told: count.told - told }))
}

/** Takes calls, noted as told, out of the share: Redis has not admitted them. */
export function takeBack(share: Share, calls: Counts): Share {
  return change(share, calls, (count, told) => ({ ...count, used: count.used - told, told: count.told - told }))
}

const NOTHING: ShareCount = { used: 0, seed: 0, told: 0, resetsAt: 0 }

function begin(share: Share, known: Counts, now: number): Share {
  return ofBoth((name, lengthMs) => {
    if (current(share[name], lengthMs, now)) return share[name]
    const count = current(known[name], lengthMs, now)
    return count && { ...count, seed: count.used, told: 0 }
  })
}

function seedOf(share: Share): Counts {
  return ofBoth(name => share[name] && { used: share[name].seed, resetsAt: share[name].resetsAt })
}

function change(share: Share, calls: Counts, make: (count: ShareCount, calls: number) => ShareCount): Share {
  return ofBoth(name => {
    const count = share[name]
    const part = calls[name]
    return count && part && count.resetsAt === part.resetsAt ? make(count, part.used) : count
  })
}

function showLimits(windows: readonly Window[], { perMinute, perDay }: Limits): Window[] {
  return windows.map(window => ({ ...window, limit: window.name === 'day' ? perDay : perMinute }))
}

function ofBoth<Made>(make: (name: 'minute' | 'day', lengthMs: number) => Made | undefined): {
  minute?: Made
  day?: Made
} {
  const minute = make('minute', MINUTE_MS)
  const day = make('day', DAY_MS)
  return { ...(minute && { minute }), ...(day && { day }) }
}
