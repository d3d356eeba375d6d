import type { Answer } from './answer.ts'
import { type RateLimit, rateLimitOf, readStandings, type Standing } from './rate-limit.ts'

/** Of calls without a valid key: it says nothing of the account. */
const ANONYMOUS = 'anonymous'
/** How much two tellings of one end may differ besides: clocks do not run quite alike. */
const TOLERANCE_MS = 1_000
/**
 * How long it is relied on that so many calls remain: others may use the account up. What is sent within a second of a refusal that another
 * process with the key has met counts as in flight, so that not even many calls at once earn a ban by this.
 */
const FRESH_MS = 500

/** Of a call, by the clock. */
export interface Time {
  sentAt: number
  endedAt: number
}

/** A window as it is known. Times are the clock's. */
interface Window {
  name: string
  limit: number
  remaining: number
  /** Its end lies between these: seconds are whole, and nobody knows when on the way to the client the answer was given. */
  endsFrom: number
  endsBy: number
  /** When the newest answer came that told of it. */
  toldAt: number
}

/** How many calls an account may still make, by all that answers have told, in whatever order they came. */
export class Quota {
  #rateLimit: RateLimit | undefined
  #windows: readonly Window[] = []
  #toldAt = Number.NEGATIVE_INFINITY
  /** Calls that had no answer of the service, of which later answers have not told yet whether they were counted; and when the last of them ended. */
  #doubtful = 0
  #doubtfulAt = Number.NEGATIVE_INFINITY

  /** As the last answer told. */
  get rateLimit(): RateLimit | undefined {
    return this.#rateLimit
  }

  /**
   * @param isBan whether the answer tells of a ban of the key, which says nothing of the account
   * @param time when it was asked for and when it came, by the clock
   */
  learn({ headers, receivedAt }: Answer, isBan: boolean, time: Time): void {
    const standings = readStandings(headers)
    if (standings.length === 0) this.doubt(time.endedAt)
    if (standings.length === 0 || standings.some(({ name }) => name === ANONYMOUS)) return
    this.#rateLimit = rateLimitOf(standings, receivedAt)
    if (isBan) return
    const known = new Map(this.#windows.map(window => [window.name, window]))
    this.#windows = standings.map(standing => {
      const told = windowOf(standing, time)
      const before = known.get(told.name)
      return before ? merge(before, told, time.sentAt) : told
    })
    this.#toldAt = time.endedAt
    if (time.sentAt >= this.#doubtfulAt) this.#doubtful = 0
  }

  /** Notes a call of which nobody knows whether it was counted. */
  doubt(now: number): void {
    this.#doubtful += 1
    this.#doubtfulAt = now
  }

  /** When the last answer came that told of the account, by the clock. */
  get toldAt(): number {
    return this.#toldAt
  }

  /** Whether it is known how many calls remain, and was told just now. */
  isFresh(now: number): boolean {
    return this.#isKnown(now) && now < this.#toldAt + FRESH_MS
  }

  /** How many calls may be under way at once, as far as is known. */
  remaining(now: number): number {
    if (!this.#isKnown(now)) return Number.POSITIVE_INFINITY
    return Math.min(...this.#windows.map(({ remaining }) => remaining)) - this.#doubtful
  }

  /** Until when no call remains; 0 where some do, as far as is known. */
  usedUpUntil(now: number): number {
    const usedUp = this.#windows.filter(({ remaining, endsBy }) => remaining === 0 && endsBy > now)
    return Math.max(0, ...usedUp.map(({ endsBy }) => endsBy))
  }

  /**
   * When the next call may follow the last, so that those which remain last until the reset: of the window that resets first, once half
   * of it is used. Calls under way are taken for used.
   */
  paceFrom(lastEntryAt: number, underway: number, now: number): number {
    const [next] = this.#windows.toSorted((one, other) => one.endsBy - other.endsBy)
    if (!next || next.endsBy <= now) return 0
    const remaining = next.remaining - underway
    return remaining > next.limit / 2 ? 0 : lastEntryAt + (next.endsBy - now) / Math.max(1, remaining)
  }

  /** Until when it is known how many remain: one of the windows ends then. */
  get knownUntil(): number {
    return this.#windows.length > 0 ? Math.min(...this.#windows.map(({ endsBy }) => endsBy)) : Number.NEGATIVE_INFINITY
  }

  #isKnown(now: number): boolean {
    return this.knownUntil > now
  }
}

function windowOf({ name, limit, remaining, secondsToReset }: Standing, { sentAt, endedAt }: Time): Window {
  const endsFrom = sentAt + (secondsToReset - 1) * 1_000
  return { name, limit, remaining, endsFrom, endsBy: endedAt + secondsToReset * 1_000, toldAt: endedAt }
}

/** Inside a window fewer and fewer remain, unless the plan was changed. Of two windows the later holds. */
function merge(known: Window, told: Window, sentAt: number): Window {
  const isLater = told.endsFrom > known.endsBy + TOLERANCE_MS
  const isEarlier = told.endsBy < known.endsFrom - TOLERANCE_MS
  if (isLater) return told
  if (isEarlier || told.limit !== known.limit) return sentAt >= known.toldAt ? told : known
  return {
    ...told,
    remaining: Math.min(told.remaining, known.remaining),
    endsFrom: Math.max(told.endsFrom, known.endsFrom),
    endsBy: Math.min(told.endsBy, known.endsBy),
  }
}
