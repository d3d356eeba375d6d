/** When a queue counts as overloaded, and how long work may then wait in it. In milliseconds. */
export interface OverloadLimits {
  /** The queue is overloaded if all work waits longer than this for `standingMs`: no burst and no pause of the process lasts that long. */
  longWaitMs: number
  /** For how long all waits must have been long. */
  standingMs: number
  /** The longest permitted wait during an overload. */
  maxWaitMs: number
  /** An empty queue ends the overload if nothing has been refused for this long. */
  quietMs: number
}

/** For work that must never be refused. */
export const NEVER_OVERLOADED: Partial<OverloadLimits> = { longWaitMs: Number.POSITIVE_INFINITY }

const LIMITS: OverloadLimits = { longWaitMs: 100, standingMs: 1_000, maxWaitMs: 50, quietMs: 250 }

/** At most this much time between two checks counts towards `standingMs`: a pause of the process is not an overload. */
const MAX_STEP_MS = 100

/** What an overload reports. Times are on the queue's monotonic clock. */
export interface OverloadWatch {
  began?(): void
  ended?(refused: number): void
}

/**
 * Detects that a queue receives more work than can be done, and then sheds the work that has waited too long. The idea comes from CoDel
 * (RFC 8289): a queue that empties now and then is a burst, however long it is; a queue in which even the shortest wait is long only
 * delays everything. During an overload, waits are kept well below the threshold that started it; otherwise the queue would stay as long
 * as it is. An overload does not end each time that refusals empty the queue: it would have to be detected again, with long waits for all.
 */
export class Overload {
  readonly #limits: OverloadLimits
  readonly #watch: OverloadWatch
  /** For how long all waits have been long; undefined after a short wait. */
  #standingMs: number | undefined
  #lookedAt = 0
  #isOn = false
  #refused = 0
  #refusedAt = 0

  constructor(watch: OverloadWatch = {}, limits: Partial<OverloadLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
    this.#watch = watch
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** Whether to carry out the next piece of work. @param waitedMs since it arrived */
  admits(waitedMs: number, now: number): boolean {
    if (!this.#isOn) this.#look(waitedMs, now)
    if (!this.#isOn || waitedMs <= this.#limits.maxWaitMs) return true
    this.#refusedAt = now
    return false
  }

  /** Counts refused work. Work that is not admitted need not be refused: it may no longer be needed, or be invalid. */
  refused(): void {
    this.#refused += 1
  }

  /** No work is waiting. During an overload, call this again later, because there may be no more work to admit. */
  emptied(now: number): void {
    this.#standingMs = undefined
    if (!this.#isOn || now - this.#refusedAt < this.#limits.quietMs) return
    this.#isOn = false
    this.#watch.ended?.(this.#refused)
  }

  #look(waitedMs: number, now: number): void {
    const { longWaitMs, standingMs } = this.#limits
    if (waitedMs <= longWaitMs) this.#standingMs = undefined
    else if (this.#standingMs === undefined) this.#standingMs = 0
    else this.#standingMs += Math.min(now - this.#lookedAt, MAX_STEP_MS)
    this.#lookedAt = now
    if (this.#standingMs === undefined || this.#standingMs < standingMs) return
    this.#isOn = true
    this.#refused = 0
    this.#watch.began?.()
  }
}
