import type { Answer } from './answer.ts'
import { type RateLimit, type RateLimitWindow, readRateLimit } from './rate-limit.ts'

/** Two answers tell of the same window if its ends, which are told in whole seconds, lie no further apart. */
const SAME_WINDOW_MS = 2_500
/** Of calls without a valid key: it says nothing of the account. */
const ANONYMOUS = 'anonymous'
/** While it is not known how many calls remain, one goes ahead of the others. */
const UNKNOWN = 1

/** How many calls an account may still make, by all that answers have told, in whatever order they came. */
export class Quota {
  #rateLimit: RateLimit | undefined
  #windows: readonly RateLimitWindow[] = []
  /** Calls that had no answer, of which later answers have not told yet whether they were counted; and when the last of them ended. */
  #doubtful = 0
  #doubtfulAt = Number.NEGATIVE_INFINITY

  /** As the last answer told. */
  get rateLimit(): RateLimit | undefined {
    return this.#rateLimit
  }

  learn({ headers, receivedAt }: Answer, sentAt: number): void {
    const told = readRateLimit(headers, receivedAt)
    if (!told || told.windows.some(({ name }) => name === ANONYMOUS)) return
    this.#rateLimit = told
    const known = new Map(this.#windows.map(window => [window.name, window]))
    this.#windows = told.windows.map(window => merge(known.get(window.name), window))
    if (sentAt >= this.#doubtfulAt) this.#doubtful = 0
  }

  /** Notes a call that had no answer. */
  doubt(now: number): void {
    this.#doubtful += 1
    this.#doubtfulAt = now
  }

  /** How many calls may be under way at once. */
  remaining(now: number): number {
    if (this.#windows.length === 0 || this.#windows.some(window => isOver(window, now))) return UNKNOWN
    return Math.max(UNKNOWN, Math.min(...this.#windows.map(({ remaining }) => remaining)) - this.#doubtful)
  }

  /** Until when no call remains; 0 where some do, as far as is known. */
  usedUpUntil(now: number): number {
    const usedUp = this.#windows.filter(window => window.remaining === 0 && !isOver(window, now))
    return Math.max(0, ...usedUp.map(({ resetAt }) => Number(resetAt)))
  }

  /**
   * When the next call may follow the last, so that those which remain last until the reset: of the window that resets first, once half
   * of it is used.
   */
  paceFrom(lastEntryAt: number, now: number): number {
    const [next] = this.#windows.toSorted((one, other) => Number(one.resetAt) - Number(other.resetAt))
    if (!next || isOver(next, now) || next.remaining > next.limit / 2) return 0
    return lastEntryAt + (Number(next.resetAt) - now) / Math.max(1, next.remaining)
  }
}

function isOver({ resetAt }: RateLimitWindow, now: number): boolean {
  return Number(resetAt) <= now
}

/** Inside a window fewer and fewer remain, unless the plan was changed. */
function merge(known: RateLimitWindow | undefined, told: RateLimitWindow): RateLimitWindow {
  if (!known) return told
  const later = Number(told.resetAt) - Number(known.resetAt)
  if (later < -SAME_WINDOW_MS) return known
  if (later > SAME_WINDOW_MS || told.limit !== known.limit) return told
  const resetAt = later < 0 ? told.resetAt : known.resetAt
  return { ...told, remaining: Math.min(told.remaining, known.remaining), resetAt }
}
