import { type Answer, errorOf, retryAfterOf } from './answer.ts'
import type { Clock } from './clock.ts'
import { BannedError, type PetstoreError, RateLimitError, TimeoutError } from './errors.ts'
import { Quota } from './quota.ts'
import type { RateLimit } from './rate-limit.ts'
import { jitter } from './retry.ts'

export interface Entry {
  /** Until when a call may wait: Unix milliseconds. */
  deadline: number
  /** Whether it goes more slowly when few calls remain. */
  isPaced: boolean
  signal: AbortSignal | undefined
}

interface Waiter extends Entry {
  enter(): void
  giveUp(error: unknown): void
}

/**
 * What all calls with one key go through, in the order in which they come. It holds them back
 *
 * - until the time that a refusal has told; if the next call is refused again, for at least twice as long;
 * - when fewer calls remain, by what the answers tell, than are under way: what would be refused is not sent.
 */
export class Gate {
  readonly #clock: Clock
  readonly #random: () => number
  readonly #quota = new Quota()
  readonly #waiting = new Set<Waiter>()
  #underway = 0
  #lastEntryAt = Number.NEGATIVE_INFINITY
  /** The newest refusal that all must wait for. */
  #closing: { at: number; opensAt: number; error: PetstoreError } | undefined
  /** How long the last refusal was waited for; 0 when a call has been admitted since. */
  #pauseMs = 0
  /** Until when those who wait have been told to. */
  #announced = Number.NEGATIVE_INFINITY
  #cancelWake = () => {}

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  get rateLimit(): RateLimit | undefined {
    return this.#quota.rateLimit
  }

  /**
   * Ends when a call may be sent. Afterwards `leave` must be called.
   * @throws PetstoreError, at once where it is known that the gate opens too late
   * @throws the signal's reason
   */
  enter(entry: Entry): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { signal, deadline } = entry
    if (signal?.aborted) return Promise.reject(signal.reason)
    const abort = () => {
      waiter.giveUp(signal?.reason)
      this.#admit()
    }
    const cancelTimer = this.#clock.after(deadline - this.#clock.now(), () => {
      waiter.giveUp(new TimeoutError('The time that the call may take is over; it was not sent.', { code: 'timeout' }))
      this.#admit()
    })
    const leaveQueue = () => {
      cancelTimer()
      signal?.removeEventListener('abort', abort)
      this.#waiting.delete(waiter)
    }
    const waiter: Waiter = {
      ...entry,
      enter() {
        leaveQueue()
        resolve()
      },
      giveUp(error) {
        leaveQueue()
        reject(error)
      },
    }
    signal?.addEventListener('abort', abort, { once: true })
    this.#waiting.add(waiter)
    this.#turnAway(waiter, this.#opensAt(this.#clock.now()))
    this.#admit()
    return promise
  }

  /**
   * Notes how a call ended that had entered.
   * @param sentAt when it entered
   * @param answer undefined where there was none: then nobody knows whether it was counted
   */
  leave(sentAt: number, answer: Answer | undefined): void {
    this.#underway -= 1
    if (answer) this.#quota.learn(answer, sentAt)
    else this.#quota.doubt(this.#clock.now())
    if (answer) this.#heed(answer, sentAt)
    this.#admit()
  }

  /** Of calls that were under way together each may be refused; they are one refusal. */
  #heed(answer: Answer, sentAt: number): void {
    const { status, receivedAt } = answer
    const isRefused = status === 429
    const told = retryAfterOf(answer)
    if (!isRefused && !(status === 503 && told !== undefined)) {
      if (!this.#closing || sentAt > this.#closing.at) this.#pauseMs = 0
      return
    }
    const isFurther = isRefused && sentAt >= (this.#closing?.opensAt ?? 0)
    const pauseMs = Math.max(told ?? 0, isFurther ? Math.max(2 * this.#pauseMs, SHORTEST_PAUSE_MS) : 0)
    if (isFurther) this.#pauseMs = pauseMs
    const opensAt = receivedAt + pauseMs + jitter(pauseMs, this.#random)
    if (opensAt > (this.#closing?.opensAt ?? 0)) this.#closing = { at: receivedAt, opensAt, error: errorOf(answer) }
  }

  /** Lets in who may enter now, and sees to it that the next do when they may. */
  #admit(): void {
    const now = this.#clock.now()
    this.#cancelWake()
    this.#announce(now)
    for (const waiter of this.#waiting) {
      const opensAt = Math.max(this.#opensAt(now), waiter.isPaced ? this.#quota.paceFrom(this.#lastEntryAt, now) : 0)
      if (opensAt > now) {
        this.#cancelWake = this.#clock.after(opensAt - now, () => this.#admit())
        return
      }
      // The next of these that ends lets the next of those in.
      if (this.#underway >= this.#quota.remaining(now)) return
      this.#underway += 1
      this.#lastEntryAt = now
      waiter.enter()
    }
  }

  /** From when on calls are not held back any more by what is known. */
  #opensAt(now: number): number {
    return Math.max(this.#closing?.opensAt ?? 0, this.#quota.usedUpUntil(now))
  }

  /** Whoever cannot wait for so long learns of it now. */
  #announce(now: number): void {
    const opensAt = this.#opensAt(now)
    if (opensAt <= now || opensAt === this.#announced) return
    this.#announced = opensAt
    for (const waiter of this.#waiting) this.#turnAway(waiter, opensAt)
  }

  #turnAway(waiter: Waiter, opensAt: number): void {
    if (opensAt > waiter.deadline) waiter.giveUp(this.#refusalUntil(opensAt))
  }

  #refusalUntil(opensAt: number): PetstoreError {
    const retryAt = new Date(opensAt)
    if (!this.#closing || this.#closing.opensAt < opensAt) {
      const message = `No calls remain until ${retryAt.toISOString()}; this one was not sent.`
      return new RateLimitError(message, { code: 'rate_limit_exceeded', status: 429, retryAt })
    }
    const { error } = this.#closing
    const { message, code, status, requestId } = error
    const details = { code, status, requestId, retryAt, cause: error }
    if (error instanceof BannedError) return new BannedError(message, details)
    if (error instanceof RateLimitError) return new RateLimitError(message, details)
    return error
  }
}

/** Where a refusal does not say how long to wait. */
const SHORTEST_PAUSE_MS = 1_000
