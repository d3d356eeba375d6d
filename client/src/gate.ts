import { type Answer, believedRetryAfter, type Outcome } from './answer.ts'
import type { Clock } from './clock.ts'
import {
  BannedError,
  isRefusal,
  type PetstoreError,
  RateLimitError,
  type Refusal,
  refuseUntil,
  TimeoutError,
} from './errors.ts'
import { Quota, type Time } from './quota.ts'
import type { RateLimit } from './rate-limit.ts'
import { closesGate, guessPause, pauseAfterRefusal, withJitter } from './retry.ts'

export interface Entry {
  /** The latest time at which the call may enter, by the clock. */
  deadline: number
  /** Whether the call waits longer when few calls remain. */
  isPaced: boolean
  signal: AbortSignal | undefined
  /** The error of the previous attempt. */
  last?: PetstoreError | undefined
  /**
   * Called when the call must wait, and again when it must wait longer.
   * @param until by the clock
   * @param error why; undefined for a paced call
   */
  onWait?: ((until: number, error: PetstoreError | undefined) => void) | undefined
}

interface Waiter extends Entry {
  /** The latest time for which `onWait` was called. */
  reportedUntil: number
  enter(): void
  giveUp(error: unknown): void
}

/**
 * All calls with one key pass through its gate, in the order in which they were made. A retry joins the end of the queue. The gate holds
 * calls back
 *
 * - after a refusal, until the time that it gives. After further refusals in a row, the gate waits a minute longer, then two, then four.
 * - until the reset, if no calls remain.
 * - while as many calls are under way as remain, so that no call is sent only to be refused. While the number of remaining calls is
 *   unknown, one call goes ahead of the others.
 *
 * An operator may lift a ban or upgrade a plan earlier. The gate sends no calls to check for that: several processes with the same key
 * would get it banned.
 */
export class Gate {
  readonly #clock: Clock
  readonly #random: () => number
  readonly #quota = new Quota()
  readonly #waiting = new Set<Waiter>()
  #underway = 0
  #lastEntryAt = Number.NEGATIVE_INFINITY
  /** The refusal with the longest wait. */
  #closing: { opensAt: number; refusal: Refusal } | undefined
  /** Consecutive refusals by the limits. */
  #refusals = 0
  /** How long the gate waited after the last refusal without Retry-After. */
  #guessedMs = 0
  /** The opening time for which waiting calls were last checked. */
  #checkedFor = Number.NEGATIVE_INFINITY
  #cancelWake = () => {}
  #isReached = false

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  get rateLimit(): RateLimit | undefined {
    return this.#quota.rateLimit
  }

  /** Whether anything has ever answered at the address. */
  get isReached(): boolean {
    return this.#isReached
  }

  noteReached(): void {
    this.#isReached = true
  }

  /**
   * Resolves when the call may be sent. The caller must then call `leave`.
   * @throws PetstoreError immediately if the gate will open too late
   * @throws the signal's reason
   */
  enter(entry: Entry): Promise<void> {
    return new Promise((resolve, reject) => this.#queue(entry, resolve, reject))
  }

  #queue(entry: Entry, resolve: () => void, reject: (error: unknown) => void): void {
    const { signal, deadline } = entry
    signal?.throwIfAborted()
    const abort = () => {
      waiter.giveUp(signal?.reason)
      this.#admit()
    }
    // This comes before the timer because it throws if `signal` is not an AbortSignal.
    signal?.addEventListener('abort', abort, { once: true })
    const cancelTimer = this.#clock.after(deadline - this.#clock.now(), () => {
      waiter.giveUp(notSent())
      this.#admit()
    })
    const leaveQueue = () => {
      cancelTimer()
      signal?.removeEventListener('abort', abort)
      this.#waiting.delete(waiter)
    }
    const waiter: Waiter = {
      ...entry,
      reportedUntil: Number.NEGATIVE_INFINITY,
      enter() {
        leaveQueue()
        resolve()
      },
      giveUp(error) {
        leaveQueue()
        reject(error)
      },
    }
    this.#waiting.add(waiter)
    const opensAt = this.#opensAt(this.#clock.now())
    if (opensAt > this.#clock.now()) this.#holdBack(waiter, opensAt)
    this.#admit()
  }

  /**
   * Must be called when a call that has entered ends.
   * @param sentAt when it entered, by the clock
   * @param outcome if it has no answer, it is unknown whether the call was counted
   */
  leave(sentAt: number, { answer, error }: Outcome): void {
    const endedAt = this.#clock.now()
    this.#underway -= 1
    if (answer) this.#learn(answer, error, { sentAt, endedAt })
    else this.#quota.noteUncertain(endedAt)
    this.#admit()
  }

  #learn(answer: Answer, error: PetstoreError | undefined, time: Time): void {
    const { status, maxWaitMs } = answer
    const isAfterClosing = time.sentAt >= this.#opensAfterRefusal()
    if (isAfterClosing && status < 500 && status !== 429) this.#refusals = 0
    this.#quota.learn(answer, error instanceof BannedError, time)
    if (!closesGate(answer) || !isRefusal(error)) return
    const pauseMs = Math.min(this.#pauseAfter(answer, isAfterClosing), maxWaitMs)
    const opensAt = time.endedAt + withJitter(pauseMs, this.#random)
    if (pauseMs > 0 && opensAt > this.#opensAfterRefusal()) this.#closing = { opensAt, refusal: error }
  }

  /** If the limits refuse several calls that were under way together, that counts as one refusal. */
  #pauseAfter(answer: Answer, isAfterClosing: boolean): number {
    const retryAfterMs = believedRetryAfter(answer)
    if (answer.status !== 429 && retryAfterMs) return retryAfterMs
    if (isAfterClosing) this.#refusals += 1
    if (retryAfterMs) return pauseAfterRefusal(retryAfterMs, this.#refusals - 1)
    if (!isAfterClosing) return 0
    this.#guessedMs = guessPause(this.#guessedMs, this.#refusals > 1)
    return this.#guessedMs
  }

  /** Admits all calls that may enter now, and sets a timer for the next one. */
  #admit(): void {
    const now = this.#clock.now()
    this.#cancelWake()
    this.#holdBackAll(now)
    for (const waiter of this.#waiting) {
      if (waiter.deadline <= now) {
        waiter.giveUp(notSent())
        continue
      }
      const pacedAt = waiter.isPaced ? this.#quota.paceFrom(this.#lastEntryAt, this.#underway, now) : 0
      const opensAt = Math.max(this.#opensAt(now), this.#roomAt(now), pacedAt)
      if (opensAt > now) {
        if (opensAt === pacedAt) report(waiter, pacedAt, undefined)
        this.#cancelWake = this.#clock.after(opensAt - now, () => this.#admit())
        return
      }
      this.#underway += 1
      this.#lastEntryAt = now
      waiter.enter()
    }
  }

  /** When one more call may be under way. */
  #roomAt(now: number): number {
    if (this.#underway === 0) return now
    // Wait for the next answer, or else for the end of the window.
    if (this.#underway >= this.#quota.remaining(now)) return this.#quota.knownUntil
    // No call was sent since the last answer: this one goes ahead.
    if (this.#quota.isFresh(now) || this.#lastEntryAt < this.#quota.learnedAt) return now
    // One call that hangs must not stop all others.
    return this.#lastEntryAt + MAX_LEAD_MS
  }

  /** When calls are no longer held back, as far as is known. */
  #opensAt(now: number): number {
    return Math.max(this.#opensAfterRefusal(), this.#quota.usedUpUntil(now))
  }

  #opensAfterRefusal(): number {
    return this.#closing?.opensAt ?? Number.NEGATIVE_INFINITY
  }

  /** Immediately rejects calls that cannot wait until the gate opens, and reports the wait to the others. */
  #holdBackAll(now: number): void {
    const opensAt = this.#opensAt(now)
    if (opensAt <= now || opensAt === this.#checkedFor) return
    this.#checkedFor = opensAt
    for (const waiter of this.#waiting) this.#holdBack(waiter, opensAt)
  }

  #holdBack(waiter: Waiter, opensAt: number): void {
    if (opensAt >= waiter.deadline) waiter.giveUp(this.#refusalUntil(opensAt, waiter.last))
    else if (waiter.onWait) report(waiter, opensAt, this.#refusalUntil(opensAt, waiter.last))
  }

  #refusalUntil(opensAt: number, last: PetstoreError | undefined): Refusal {
    const retryAt = this.#clock.dateOf(opensAt)
    const closing = this.#closing && this.#closing.opensAt >= opensAt ? this.#closing.refusal : undefined
    if (isRefusal(last) && last.code === (closing?.code ?? USED_UP)) {
      return refuseUntil(retryAt, last, last.message, last.requestId)
    }
    if (closing) {
      const message = `Not sent: calls with this key must wait until ${retryAt.toISOString()}. ${closing.message}`
      return refuseUntil(retryAt, closing, message, undefined)
    }
    return new RateLimitError(`No calls remain until ${retryAt.toISOString()}.`, {
      code: USED_UP,
      status: 429,
      retryAt,
    })
  }
}

/** How long one call goes ahead of the others. */
const MAX_LEAD_MS = 5_000

const USED_UP = 'rate_limit_exceeded'

/** Refusals that arrive together differ by their jitter. A wait that is extended by no more than this is not reported again. */
const MIN_EXTENSION_MS = 1_000

function report(waiter: Waiter, until: number, error: PetstoreError | undefined): void {
  if (until <= waiter.reportedUntil + MIN_EXTENSION_MS) return
  waiter.reportedUntil = until
  waiter.onWait?.(until, error)
}

function notSent(): TimeoutError {
  return new TimeoutError('The call timed out before it could be sent.', { code: 'timeout' })
}
