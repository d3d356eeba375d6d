/** When a queue is overloaded, and how long work may wait in it then. In milliseconds. */
export interface OverloadLimits {
  /** If all work waits longer than this for `standingMs`, neither a burst nor a pause of the process explains it. */
  longWaitMs: number
  /** How long all work must have had a long wait: then there is more than can be done. */
  standingMs: number
  /** The longest wait while the queue is overloaded. */
  maxWaitMs: number
  /** How long nothing must have been refused until an empty queue means that the overload is over. */
  quietMs: number
}

/** For work of which none is ever refused. */
export const NEVER_OVERLOADED: Partial<OverloadLimits> = { longWaitMs: Number.POSITIVE_INFINITY }

const LIMITS: OverloadLimits = { longWaitMs: 100, standingMs: 1_000, maxWaitMs: 50, quietMs: 250 }

/** The most that counts as standing between two looks at the queue: a pause of the process is not an overload. */
const MAX_STEP_MS = 100

/** What an overload reports. Times are those of the steady clock that the queue goes by. */
export interface OverloadWatch {
  began?(): void
  ended?(refused: number): void
}

/**
 * Notices that a queue gets more work than can be done, and then refuses the work that has waited too long. The idea is CoDel's (RFC 8289):
 * a queue that empties now and then is a burst, however long it is; one in which even the shortest wait is long only delays everything.
 * During an overload, waits are kept below what began it: the queue would otherwise stay as long as it is. It is not over
 * each time that refusals have emptied the queue: it would have to be noticed again, with long waits for all.
 */
export class Overload {
  readonly #limits: OverloadLimits
  readonly #watch: OverloadWatch
  /** How long all waits have been long; undefined after a short one. */
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

  /** Whether to do the work whose turn it is. @param waitedMs since it came */
  admits(waitedMs: number, now: number): boolean {
    if (!this.#isOn) this.#look(waitedMs, now)
    if (!this.#isOn || waitedMs <= this.#limits.maxWaitMs) return true
    this.#refusedAt = now
    return false
  }

  /** Counts refused work. What is not admitted need not have been refused: it may no longer be wanted, or be invalid. */
  refused(): void {
    this.#refused += 1
  }

  /** No work is waiting. During an overload, this is to be called again later, as there may be no more work to be admitted. */
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
    this.#refusedAt = now
    this.#watch.began?.()
  }
}
