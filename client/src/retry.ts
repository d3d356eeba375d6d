import { type Answer, retryAfterOf } from './answer.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000
/** Of refusals that do not say how long to wait; a minute is long enough for the window that most of them are about. */
const SHORTEST_REFUSAL_MS = 1_000
const LONGEST_FIRST_REFUSAL_MS = 60_000
/** What is waited for more than was asked for, at most: as a share of that, and in all. */
const JITTER_SHARE = 0.1
const LONGEST_JITTER_MS = 1_000

/**
 * Whether a refused call may be sent again as it is. The others must be changed first. A creation may be sent again because it has an
 * Idempotency-Key; whatever else is sent changes nothing.
 */
export function isTransient(status: number, code: string): boolean {
  return status >= 500 || status === 429 || status === 408 || (status === 409 && code === 'idempotency_in_progress')
}

/**
 * How long to wait before a call is sent again: as long as the answer says, and a little more, so that not all come back at the same
 * moment; else by exponential back-off with full jitter.
 * @param attempt how many times it has been sent
 * @param answer undefined where there was none
 */
export function pauseBefore(attempt: number, answer: Answer | undefined, random: () => number): number {
  const told = answer && retryAfterOf(answer)
  return told ? told + jitter(told, random) : random() * backOff(attempt)
}

/**
 * How long all calls with a key wait after a refusal of the limits: as long as it says. One that does not say is waited for as long as the
 * last was, for to find out anew each time how long that must be would earn a ban.
 * @param told what the refusal says
 * @param lastMs how long the last refusal was waited for
 * @param isRepeated whether no call was admitted since: then it is at least twice as long
 */
export function refusalPause(told: number | undefined, lastMs: number, isRepeated: boolean): number {
  const first = told || Math.min(Math.max(lastMs, SHORTEST_REFUSAL_MS), LONGEST_FIRST_REFUSAL_MS)
  return isRepeated ? Math.max(first, 2 * lastMs) : first
}

export function jitter(ms: number, random: () => number): number {
  return random() * Math.min(ms * JITTER_SHARE, LONGEST_JITTER_MS)
}

function backOff(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
}
