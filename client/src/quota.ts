import type { Answer } from './answer.ts'
import { type RateLimit, rateLimitOf, readWindows, type WindowHeader } from './rate-limit.ts'

/** The window of calls without a valid key: it does not belong to the account. */
const ANONYMOUS = 'anonymous'
/** Two answers may disagree by this much about the end of the same window, because clocks drift. */
const TOLERANCE_MS = 1_000
/**
 * How long the number of remaining calls is trusted: other processes may use up the account. A call sent within a second of another
 * process's refusal with the same key counts as in flight, so even many simultaneous calls do not cause a ban.
 */
const FRESH_MS = 500

/** When a call was sent and when it ended, by the clock. */
export interface Time {
  sentAt: number
  endedAt: number
}

/** What is known about a window. Times are those of the clock. */
interface Window {
  name: string
  limit: number
  remaining: number
  /** The window ends between these: answers have whole seconds, and it is unknown when during the exchange an answer was written. */
  endsFrom: number
  endsBy: number
  /** Until when it holds back calls if it is used up: its end, unless that is further away than the client waits. */
  holdsUntil: number
  /** When the newest answer with this window arrived. */
  learnedAt: number
}

/** How many calls an account may still make, according to all answers, in whatever order they arrived. */
export class Quota {
  /** As of the last answer. */
  rateLimit: RateLimit | undefined
  /** When the last answer about the account arrived. */
  learnedAt: number = Number.NEGATIVE_INFINITY
  #windows: readonly Window[] = []
  /** Calls without an answer from the service that no later answer accounts for yet, and when the last of them ended. */
  #uncertain = 0
  #uncertainAt = Number.NEGATIVE_INFINITY

  /**
   * @param isBan whether the answer reports a ban of the key; then its windows are not those of the account
   */
  learn(
    { headers, receivedAt, maxWaitMs }: Pick<Answer, 'headers' | 'receivedAt' | 'maxWaitMs'>,
    isBan: boolean,
    time: Time,
  ): void {
    const windows = readWindows(headers)
    if (windows.length === 0) this.noteUncertain(time.endedAt)
    if (windows.length === 0 || windows.some(({ name }) => name === ANONYMOUS)) return
    this.rateLimit = rateLimitOf(windows, receivedAt)
    if (isBan) return
    this.#windows = windows.map(header => {
      const window = windowOf(header, time, maxWaitMs)
      const known = this.#windows.find(({ name }) => name === window.name)
      return known ? merge(known, window, time.sentAt) : window
    })
    this.learnedAt = time.endedAt
    if (time.sentAt >= this.#uncertainAt) this.#uncertain = 0
  }

  /** Notes a call that may or may not have been counted. */
  noteUncertain(now: number): void {
    this.#uncertain += 1
    this.#uncertainAt = now
  }

  /** Whether the number of remaining calls is known, and new enough. */
  isFresh(now: number): boolean {
    return this.#isKnown(now) && now < this.learnedAt + FRESH_MS
  }

  /** How many calls may be under way at the same time, as far as is known. */
  remaining(now: number): number {
    if (!this.#isKnown(now)) return Number.POSITIVE_INFINITY
    return Math.min(...this.#windows.map(({ remaining }) => remaining)) - this.#uncertain
  }

  /** Until when used-up windows hold back calls; 0 if none is used up, as far as is known. */
  usedUpUntil(now: number): number {
    const usedUp = this.#windows.filter(({ remaining, holdsUntil }) => remaining === 0 && holdsUntil > now)
    return Math.max(0, ...usedUp.map(({ holdsUntil }) => holdsUntil))
  }

  /**
   * When the next paced call may follow the last, so that the remaining calls last until the reset. Only the window that resets first
   * matters, and only once half of it is used. Calls under way count as used.
   */
  paceFrom(lastEntryAt: number, underway: number, now: number): number {
    const [next] = this.#windows.toSorted((one, other) => one.endsBy - other.endsBy)
    if (!next || next.endsBy <= now) return 0
    const remaining = next.remaining - underway
    return remaining > next.limit / 2 ? 0 : lastEntryAt + (next.endsBy - now) / Math.max(1, remaining)
  }

  /** Until when the number of remaining calls is known: the end of the first window. */
  get knownUntil(): number {
    return this.#windows.length > 0 ? Math.min(...this.#windows.map(({ endsBy }) => endsBy)) : Number.NEGATIVE_INFINITY
  }

  #isKnown(now: number): boolean {
    return this.knownUntil > now
  }
}

function windowOf(header: WindowHeader, { sentAt, endedAt }: Time, maxWaitMs: number): Window {
  const { secondsToReset, ...window } = header
  const endsBy = endedAt + secondsToReset * 1_000
  return {
    ...window,
    endsFrom: sentAt + (secondsToReset - 1) * 1_000,
    endsBy,
    holdsUntil: Math.min(endsBy, endedAt + maxWaitMs),
    learnedAt: endedAt,
  }
}

/** Within a window, the number of remaining calls only falls, unless the plan has changed. Of two windows, the later one is current. */
function merge(known: Window, answered: Window, sentAt: number): Window {
  const isLater = answered.endsFrom > known.endsBy + TOLERANCE_MS
  const isEarlier = answered.endsBy < known.endsFrom - TOLERANCE_MS
  if (isLater) return answered
  if (isEarlier || answered.limit !== known.limit) return sentAt >= known.learnedAt ? answered : known
  return {
    ...answered,
    remaining: Math.min(answered.remaining, known.remaining),
    endsFrom: Math.max(answered.endsFrom, known.endsFrom),
    endsBy: Math.min(answered.endsBy, known.endsBy),
    holdsUntil: Math.min(answered.holdsUntil, known.endsBy),
  }
}
