import type { Limits } from './plan.ts'
import {
  type Count,
  type Counts,
  current,
  type Decision,
  decide,
  maxCounts,
  type Window,
  windowsOf,
} from './rate-limiter.ts'
import { DAY_MS, MINUTE_MS } from './time.ts'

/**
 * What one of several instances knows about the calls of one account or address. All instances count them in one place; while an instance cannot
 * reach it, an outage, it decides calls alone: by its share, the rest of each window divided among the instances.
 *
 * Each window has two numbers: `used`, all calls in it, as far as this instance knows; `alone`, those among them that it has admitted alone and not
 * handed over. The first call of an outage fixes the share.
 *
 * | event                              | used                                | alone     | share               |
 * | ---------------------------------- | ----------------------------------- | --------- | ------------------- |
 * | `admit`: a call in an outage       | one more                            | one more  | begins, or one less |
 * | `send`: a question is asked        |                                     | becomes 0 |                     |
 * | `confirm`: its answer has come     | the answer and `alone`, if more     |           |                     |
 * | `learn`: the store knows of more   | the same                            |           | may get smaller     |
 * | `during`: another outage, or none  |                                     |           | ends                |
 *
 * A call is handed over with one question only, so it is never counted twice. If no answer comes, it may not have been counted; `used` still
 * includes it.
 */
export class OutageLedger {
  readonly #entries: { minute?: Entry; day?: Entry } = {}
  #outage: number | undefined
  #isSharing = false

  /** Whether there are no calls that are only known here. */
  get isHandedOver(): boolean {
    return NAMES.every(name => !this.#entries[name]?.alone)
  }

  /** Whether a call has been decided alone in this outage. */
  get isSharing(): boolean {
    return this.#isSharing
  }

  /** All calls in the windows that are not over. */
  counts(now: number): Counts {
    const [minute, day] = [this.#current('minute', now), this.#current('day', now)]
    return { ...(minute && { minute: countOf(minute) }), ...(day && { day: countOf(day) }) }
  }

  /** Decides a call alone. */
  admit(limits: Limits, instances: number, now: number): Decision {
    this.#isSharing = true
    const [minute, day] = this.windows(limits, instances, now)
    if (minute.remaining === 0 || day.remaining === 0) return decide('refused', [minute, day], now)
    this.#countAlone('minute', minute.resetsAt, now)
    this.#countAlone('day', day.resetsAt, now)
    return decide('admitted', this.windows(limits, instances, now), now)
  }

  /** The windows of the account, but with the remaining calls of the share. */
  windows(limits: Limits, instances: number, now: number): [minute: Window, day: Window] {
    const [minute, day] = windowsOf(this.counts(now), limits, now)
    return [
      withinShare(minute, this.#current('minute', now), instances),
      withinShare(day, this.#current('day', now), instances),
    ]
  }

  /** What to ask with: the known calls, and those that the question hands over. */
  send(): Handover {
    return { minute: this.#handOver('minute'), day: this.#handOver('day') }
  }

  confirm(answer: Counts, now: number): void {
    for (const name of NAMES) this.#take(name, answer[name], now)
  }

  /** Takes over counts that others have saved. What this instance has begun alone then belongs to their window. */
  learn(saved: Counts, now: number): void {
    const others = maxCounts(saved, {}, now)
    for (const name of NAMES) {
      const count = others[name]
      const entry = this.#current(name, now)
      const isOfAnotherWindow = entry && entry.used > entry.alone && entry.resetsAt !== count?.resetsAt
      if (!count || isOfAnotherWindow) continue
      this.#take(name, count, now)
      if (entry?.share) entry.share.seed = Math.max(entry.share.seed, count.used)
    }
  }

  /** Each outage divides what is left when it comes. @param outage its number; undefined if there is none */
  during(outage: number | undefined): void {
    if (outage === this.#outage) return
    this.#outage = outage
    this.#isSharing = false
    for (const name of NAMES) delete this.#entries[name]?.share
  }

  #current(name: Name, now: number): Entry | undefined {
    const entry = this.#entries[name]
    return current(entry, LENGTHS_MS[name], now) && entry
  }

  /** @param resetsAt the end of the window if it begins with this call */
  #countAlone(name: Name, resetsAt: number, now: number): void {
    const entry: Entry = this.#current(name, now) ?? { used: 0, alone: 0, resetsAt }
    this.#entries[name] = entry
    entry.share ??= { seed: entry.used, spent: 0 }
    entry.share.spent += 1
    entry.used += 1
    entry.alone += 1
  }

  #handOver(name: Name): Handover[Name] {
    const entry = this.#entries[name]
    if (!entry) return { known: 0, alone: 0, resetsAt: 0 }
    const { used, alone, resetsAt } = entry
    entry.alone = 0
    return { known: used - alone, alone, resetsAt }
  }

  /** The calls admitted alone belong to the window that the others count in. */
  #take(name: Name, count: Count | undefined, now: number): void {
    if (!count) return
    const { used, resetsAt } = count
    const entry: Entry = this.#current(name, now) ?? { used: 0, alone: 0, resetsAt }
    this.#entries[name] = entry
    entry.used = Math.max(entry.resetsAt === resetsAt ? entry.used : 0, used + entry.alone)
    entry.resetsAt = resetsAt
  }
}

/** The windows of a question. */
export type Handover = Record<Name, { known: number; alone: number; resetsAt: number }>

const NAMES = ['minute', 'day'] as const
const LENGTHS_MS = { minute: MINUTE_MS, day: DAY_MS }

type Name = (typeof NAMES)[number]

/** What is known of one window. */
interface Entry extends Count {
  alone: number
  share?: Share
}

interface Share {
  /** How many calls had been counted in the window when the share began. */
  seed: number
  /** The calls admitted alone since then. */
  spent: number
}

/**
 * The rest of the window, divided among the instances. If any calls are left, each instance has at least one, because it cannot know whether the
 * others receive any. So if fewer calls are left than there are instances, more than these may be admitted.
 */
function withinShare(window: Window, entry: Entry | undefined, instances: number): Window {
  const { seed, spent } = entry?.share ?? { seed: entry?.used ?? 0, spent: 0 }
  const part = window.limit > seed ? Math.max(1, Math.floor((window.limit - seed) / instances)) : 0
  return { ...window, remaining: Math.max(0, Math.min(part - spent, window.remaining)) }
}

function countOf({ used, resetsAt }: Entry): Count {
  return { used, resetsAt }
}
