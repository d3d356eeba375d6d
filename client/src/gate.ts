import { type Answer, limitErrorOf, retryAfterOf, serviceErrorOf } from './answer.ts'
import type { Clock } from './clock.ts'
import {
  BannedError,
  heldBack,
  isRefusal,
  type PetstoreError,
  RateLimitError,
  type Refusal,
  refusedUntil,
  TimeoutError,
} from './errors.ts'
import { Quota, type Time } from './quota.ts'
import type { RateLimit } from './rate-limit.ts'
import { toldPause, untoldPause } from './retry.ts'

export interface Entry {
  /** Until when a call may wait, by the clock. */
  deadline: number
  /** Whether it goes more slowly when few calls remain. */
  isPaced: boolean
  signal: AbortSignal | undefined
  /** What became of the call when it was sent last. */
  last?: PetstoreError | undefined
}

interface Waiter extends Entry {
  enter(): void
  giveUp(error: unknown): void
}

/**
 * What all calls with one key go through, in the order in which they come; one that is sent again comes anew. It holds them back
 *
 * - until the time that a refusal has told; if the next call is refused again, for longer than told, twice as much each time;
 * - until the reset, when answers have told that no calls remain;
 * - when no more calls remain, by what the answers tell, than are under way: what would be refused is not sent. While it is not known how
 *   many remain, one goes ahead of the others.
 *
 * Nothing is sent before such a time to find out whether it still holds, though an operator may have lifted a ban or raised a plan: when
 * several processes do so with one key, that is what earns a ban.
 */
export class Gate {
  readonly #clock: Clock
  readonly #random: () => number
  readonly #quota = new Quota()
  readonly #waiting = new Set<Waiter>()
  #underway = 0
  #lastEntryAt = Number.NEGATIVE_INFINITY
  /** The refusal that all must wait for longest. */
  #closing: { opensAt: number; refusal: Refusal } | undefined
  /** Of the limits, since a call was admitted. */
  #refusals = 0
  /** How long the last refusal of the limits was waited for that did not say so. */
  #untoldMs = 0
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
    // Before there is a timer: what is no signal is told by this.
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
    if (opensAt > this.#clock.now()) this.#turnAway(waiter, opensAt)
    this.#admit()
    return promise
  }

  /**
   * Notes how a call ended that had entered.
   * @param sentAt when it entered, by the clock
   * @param answer undefined where there was none: then nobody knows whether it was counted
   */
  leave(sentAt: number, answer: Answer | undefined): void {
    const endedAt = this.#clock.now()
    this.#underway -= 1
    if (answer) this.#heed(answer, { sentAt, endedAt })
    else this.#quota.doubt(endedAt)
    this.#admit()
  }

  #heed(answer: Answer, time: Time): void {
    const { status } = answer
    const isAfterClosing = time.sentAt >= this.#opensAfterRefusal()
    if (isAfterClosing && status < 500 && status !== 429) this.#refusals = 0
    const refusal = refusalOf(answer)
    this.#quota.learn(answer, refusal instanceof BannedError, time)
    if (!refusal) return
    const pauseMs = this.#pauseAfter(answer, isAfterClosing)
    const opensAt = time.endedAt + pauseMs
    if (pauseMs > 0 && opensAt > this.#opensAfterRefusal()) this.#closing = { opensAt, refusal }
  }

  /** Of calls that were under way together each may be refused by the limits; they are one refusal. */
  #pauseAfter(answer: Answer, isAfterClosing: boolean): number {
    const told = retryAfterOf(answer)
    if (answer.status !== 429) return told ? toldPause(told, 0, this.#random) : 0
    if (isAfterClosing) this.#refusals += 1
    if (told) return toldPause(told, this.#refusals - 1, this.#random)
    if (isAfterClosing) this.#untoldMs = untoldPause(this.#untoldMs, this.#refusals > 1)
    return isAfterClosing ? toldPause(this.#untoldMs, 0, this.#random) : 0
  }

  /** Lets in who may enter now, and sees to it that the next do when they may. */
  #admit(): void {
    const now = this.#clock.now()
    this.#cancelWake()
    this.#announce(now)
    for (const waiter of this.#waiting) {
      if (waiter.deadline <= now) {
        waiter.giveUp(notSent())
        continue
      }
      const opensAt = this.#opensFor(waiter, now)
      if (opensAt > now) {
        this.#cancelWake = this.#clock.after(opensAt - now, () => this.#admit())
        return
      }
      this.#underway += 1
      this.#lastEntryAt = now
      waiter.enter()
    }
  }

  #opensFor({ isPaced }: Entry, now: number): number {
    const pacedAt = isPaced ? this.#quota.paceFrom(this.#lastEntryAt, this.#underway, now) : 0
    return Math.max(this.#opensAt(now), this.#roomAt(now), pacedAt)
  }

  /** When one more call may be under way. */
  #roomAt(now: number): number {
    if (this.#underway === 0) return now
    // The next of them that ends tells more, or else the end of the window.
    if (this.#underway >= this.#quota.remaining(now)) return this.#quota.knownUntil
    // Of those under way none was sent since the last answer: this one goes ahead.
    if (this.#quota.isFresh(now) || this.#lastEntryAt < this.#quota.toldAt) return now
    // One that hangs must not stop all others.
    return this.#lastEntryAt + PATIENCE_MS
  }

  /** From when on calls are not held back any more by what is known. */
  #opensAt(now: number): number {
    return Math.max(this.#opensAfterRefusal(), this.#quota.usedUpUntil(now))
  }

  #opensAfterRefusal(): number {
    return this.#closing?.opensAt ?? Number.NEGATIVE_INFINITY
  }

  /** Whoever cannot wait for so long learns of it now. */
  #announce(now: number): void {
    const opensAt = this.#opensAt(now)
    if (opensAt <= now || opensAt === this.#announced) return
    this.#announced = opensAt
    for (const waiter of this.#waiting) this.#turnAway(waiter, opensAt)
  }

  #turnAway(waiter: Waiter, opensAt: number): void {
    if (opensAt >= waiter.deadline) waiter.giveUp(this.#refusalUntil(opensAt, waiter.last))
  }

  #refusalUntil(opensAt: number, last: PetstoreError | undefined): Refusal {
    const retryAt = this.#clock.dateOf(opensAt)
    const isUsedUp = !this.#closing || this.#closing.opensAt < opensAt
    if (isRefusal(last) && last.code === (isUsedUp ? USED_UP : this.#closing?.refusal.code))
      return refusedUntil(retryAt, last)
    if (this.#closing && !isUsedUp) return heldBack(retryAt, this.#closing.refusal)
    const message = `No calls remain until ${retryAt.toISOString()}.`
    return new RateLimitError(message, { code: USED_UP, status: 429, retryAt })
  }
}

/** How long one call goes ahead of the others. */
const PATIENCE_MS = 5_000

const USED_UP = 'rate_limit_exceeded'

/** Of an answer that all calls have to heed. */
function refusalOf(answer: Answer): Refusal | undefined {
  if (answer.status === 429) return limitErrorOf(answer)
  return answer.status === 503 ? serviceErrorOf(answer) : undefined
}

function notSent(): TimeoutError {
  return new TimeoutError('The time that the call may take was over before it could be sent.', { code: 'timeout' })
}
