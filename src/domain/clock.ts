import { DAY_MS, formatTime, HOUR_MS, MINUTE_MS } from './time.ts'

/**
 * What is deleted for its age cannot be recovered, so a clock that is wrong must not decide it. A store records the latest time at which its
 * clock was known to be right. A clock that is far ahead of that is in doubt until it is confirmed: by an operator, or by running steadily.
 */

/** How far a clock may be ahead of the last confirmed time. */
export const MAX_AHEAD_MS = DAY_MS
/** How long a clock that is in doubt must run steadily. */
const STEADY_MS = HOUR_MS
/** How far clocks may differ and still agree. Time services correct a clock by much less in an hour. */
const TOLERANCE_MS = MINUTE_MS
/** The confirmed time is recorded this often. */
const RECORD_EVERY_MS = HOUR_MS

/** What a store knows about the time, in Unix milliseconds. */
export interface StoreClock {
  /** The latest time at which the clock was known to be right; undefined in a new store. */
  confirmedAt: number | undefined
  /** The time of the database's server; undefined if there is none. */
  serverTime: number | undefined
}

export function isInDoubt(now: number, confirmedAt: number | undefined): boolean {
  return confirmedAt !== undefined && now > confirmedAt + MAX_AHEAD_MS
}

/** For operators. `command` is the name of the program on the command line. */
export function describeDoubt(now: number, confirmedAt: number, command: string): string {
  const days = Math.floor((now - confirmedAt) / DAY_MS)
  const ahead = `${days} ${days === 1 ? 'day' : 'days'} after the last time at which it was known to be right`
  return `The clock shows ${formatTime(now)}, ${ahead} (${formatTime(confirmedAt)}). No data is deleted for its age until the clock has run steadily for an hour, or an operator confirms it with ${command} confirm-clock.`
}

/** The time at which the age of data is judged: no later than the clock is known to be right. */
export function timeOfAge(now: number, confirmedAt: number | undefined): number {
  return isInDoubt(now, confirmedAt) ? (confirmedAt as number) : now
}

/** Decides when the clock of this process confirms itself. */
export class ClockWatch {
  /** Since this reading, the clock has kept pace with the monotonic clock. */
  #steadySince: Reading | undefined

  /** Whether the clock is now known to be right, and that should be recorded. */
  confirms(reading: Reading, { confirmedAt, serverTime }: StoreClock): boolean {
    const { wall, steady } = reading
    const since = this.#steadySince
    const keepsPace = since && Math.abs(wall - since.wall - (steady - since.steady)) <= TOLERANCE_MS
    if (!keepsPace) this.#steadySince = reading
    if (serverTime !== undefined && Math.abs(serverTime - wall) > TOLERANCE_MS) return false
    // A new store has no data to lose, and without a first time, every later clock would be believed.
    if (confirmedAt === undefined) return true
    if (!keepsPace) return false
    if (steady - since.steady >= STEADY_MS) return Math.abs(wall - confirmedAt) >= RECORD_EVERY_MS
    return !isInDoubt(wall, confirmedAt) && wall - confirmedAt >= RECORD_EVERY_MS
  }
}

/** Both clocks at one moment, in milliseconds. */
export interface Reading {
  /** Unix time, which may be set. */
  wall: number
  /** Never set, and stops while the machine is suspended. */
  steady: number
}
