import type { Limits } from './plan.ts'
import {
  type Count,
  type Counts,
  current,
  type Decision,
  decide,
  maxCounts,
  type Window,
  windowOf,
  windowsOf,
} from './rate-limiter.ts'
import { DAY_MS, MINUTE_MS } from './time.ts'

/**
 * What one of several instances knows about the calls of one account or address. All instances count them in one place; while an instance cannot
 * reach it, an outage, it decides calls alone: by its share, the rest of each window divided among the instances.
 *
 * Each window has three numbers: `known`, the calls counted in that place, as far as this instance knows; `alone`, the calls admitted alone and
 * not handed over; `sent`, the calls handed over with a question that has no answer yet.
 *
 * | event                              | known              | alone      | sent             | share               |
 * | ---------------------------------- | ------------------ | ---------- | ---------------- | ------------------- |
 * | `admit`: a call in an outage       |                    | one more   |                  | begins, or one less |
 * | `send`: a question is asked        |                    | becomes 0  | more by `alone`  |                     |
 * | `confirm`: its answer has come     | that of the answer |            | less by its part |                     |
 * | `fail`: no answer has come in time | more by its part   |            | less by its part |                     |
 * | `learn`: the store knows of more   | that of the store  |            |                  | may get smaller     |
 * | `during`: another outage, or none  |                    |            |                  | ends                |
 *
 * A call is handed over at most once, so it is never counted twice. If no answer comes, it may not have been counted; `known` then includes it.
 */
export class OutageLedger {
  #known: Counts = {}
  #alone: Counts = {}
  #sent: Counts = {}
  #share: Share = {}
  #outage: number | undefined

  get known(): Counts {
    return this.#known
  }

  /** Whether there are no calls that are only known here. */
  get isHandedOver(): boolean {
    return isEmpty(this.#alone) && isEmpty(this.#sent)
  }

  /** Whether the share of an outage has begun. */
  get isSharing(): boolean {
    return !isEmpty(this.#share)
  }

  /** All calls in the windows that are not over. */
  counts(now: number): Counts {
    if (this.isHandedOver) return maxCounts(this.#known, {}, now)
    return [this.#known, this.#sent, this.#alone].map(counts => maxCounts(counts, {}, now)).reduce(sum)
  }

  /** Decides a call alone. */
  admit(limits: Limits, instances: number, now: number): Decision {
    const share = this.#shareAt(limits, now)
    const isAdmitted = this.windows(limits, instances, now).every(({ remaining }) => remaining > 0)
    const call = isAdmitted ? 1 : 0
    this.#share = forBoth(name => ({ ...share[name], used: share[name].used + call }))
    if (isAdmitted)
      this.#alone = sum(
        this.#alone,
        forBoth(name => ({ used: 1, resetsAt: share[name].resetsAt })),
      )
    return decide(isAdmitted ? 'admitted' : 'refused', this.windows(limits, instances, now), now)
  }

  /** The windows of the account, but with the remaining calls of the share. */
  windows(limits: Limits, instances: number, now: number): Window[] {
    const { minute, day } = this.#shareAt(limits, now)
    const counts = this.counts(now)
    return [
      windowOfShare('minute', limits.perMinute, minute, instances, counts),
      windowOfShare('day', limits.perDay, day, instances, counts),
    ]
  }

  /** The calls to hand over with a question. It must be followed by `confirm` or `fail`. */
  send(): Counts {
    const part = this.#alone
    if (isEmpty(part)) return part
    this.#alone = {}
    this.#sent = sum(this.#sent, part)
    return part
  }

  /** @param part what was sent with the question */
  confirm(part: Counts, counts: Counts, now: number): void {
    this.#sent = less(this.#sent, part)
    this.#known = maxCounts(this.#known, counts, now)
  }

  /** @param part what was sent with the question */
  fail(part: Counts): void {
    this.#sent = less(this.#sent, part)
    this.#known = sum(this.#known, part)
  }

  /** Each outage divides what is left when it comes. @param outage its number; undefined if there is none */
  during(outage: number | undefined): void {
    if (outage !== this.#outage) this.#share = {}
    this.#outage = outage
  }

  /** Takes over counts that others have saved. What this instance has begun alone then belongs to their window. */
  learn(saved: Counts, now: number): void {
    const others = maxCounts(saved, {}, now)
    this.#known = maxCounts(this.#known, others, now)
    this.#alone = forBoth(name => endingWith(this.#alone[name], others[name]))
    this.#share = forBoth(name => {
      const share = endingWith(this.#share[name], others[name])
      return share && { ...share, seed: Math.max(share.seed, others[name]?.used ?? 0) }
    })
  }

  #shareAt(limits: Limits, now: number): Required<Share> {
    const counts = this.counts(now)
    const [minute, day] = windowsOf(counts, limits, now)
    const shareOf = (name: WindowName, lengthMs: number, { resetsAt }: Window): ShareOfWindow => {
      const share = this.#share[name]
      return share && current(share, lengthMs, now) ? share : { seed: counts[name]?.used ?? 0, used: 0, resetsAt }
    }
    return { minute: shareOf('minute', MINUTE_MS, minute), day: shareOf('day', DAY_MS, day) }
  }
}

type WindowName = 'minute' | 'day'

interface Share {
  minute?: ShareOfWindow
  day?: ShareOfWindow
}

/** `used` are the calls admitted alone since the share began. */
interface ShareOfWindow extends Count {
  /** How many calls had been counted in the window when the share began. */
  seed: number
}

/**
 * The rest of each window, divided among the instances. If any calls are left, each instance has at least one, because it cannot know whether
 * the others receive any. So if fewer calls are left than there are instances, more than these may be admitted.
 */
function windowOfShare(
  name: WindowName,
  limit: number,
  { seed, used, resetsAt }: ShareOfWindow,
  instances: number,
  counts: Counts,
): Window {
  const part = limit > seed ? Math.max(1, Math.floor((limit - seed) / instances)) : 0
  const left = Math.min(part - used, limit - (counts[name]?.used ?? 0))
  return { ...windowOf(name, limit, { used: 0, resetsAt }), remaining: Math.max(0, left) }
}

/** Adds the calls of each window. Of two different windows, the later one counts. */
function sum(one: Counts, other: Counts): Counts {
  return forBoth(name => {
    const [first, second] = [one[name], other[name]]
    if (!first || !second) return first ?? second
    if (first.resetsAt !== second.resetsAt) return first.resetsAt > second.resetsAt ? first : second
    return { ...first, used: first.used + second.used }
  })
}

/** Takes away the calls of the same windows. */
function less(counts: Counts, part: Counts): Counts {
  if (isEmpty(part)) return counts
  return forBoth(name => {
    const [count, taken] = [counts[name], part[name]]
    if (!count || count.resetsAt !== taken?.resetsAt) return count
    return count.used > taken.used ? { ...count, used: count.used - taken.used } : undefined
  })
}

function endingWith<Ending extends Count>(count: Ending | undefined, other: Count | undefined): Ending | undefined {
  return count && other ? { ...count, resetsAt: Math.min(count.resetsAt, other.resetsAt) } : count
}

function isEmpty({ minute, day }: Counts): boolean {
  return !(minute || day)
}

function forBoth<Made>(make: (name: WindowName) => Made | undefined): { minute?: Made; day?: Made } {
  const [minute, day] = [make('minute'), make('day')]
  return { ...(minute && { minute }), ...(day && { day }) }
}
