import { type Answer, retryAfterOf } from './answer.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000
/** Of refusals that do not say how long to wait; a minute is long enough for the window that most of them are about. */
const SHORTEST_UNTOLD_MS = 1_000
const LONGEST_FIRST_UNTOLD_MS = 60_000
/** What is waited for more when a call is refused again: twice as long each time. Ten refusals within ten minutes would earn a ban. */
const FIRST_ADDITION_MS = 60_000
const LONGEST_ADDITION_MS = 300_000
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
  return told ? toldPause(told, 0, random) : random() * backOff(attempt)
}

/**
 * What was told, and a little more, so that not all come back at the same moment. Who is refused in a row, as others are faster each time,
 * leaves them the minute that comes, then two, four: by what was told alone, several processes with one key would earn it a ban.
 * @param refusals how many came one after the other before this one, without a call admitted between them
 */
export function toldPause(told: number, refusals: number, random: () => number): number {
  const addition = refusals === 0 ? 0 : Math.min(FIRST_ADDITION_MS * 2 ** (refusals - 1), LONGEST_ADDITION_MS)
  return told + addition + random() * Math.min(told * JITTER_SHARE, LONGEST_JITTER_MS)
}

/**
 * How long all calls with a key wait after a refusal of the limits that does not say so: as long as after the last one, for to find out
 * anew each time how long that must be would earn a ban.
 * @param lastMs how long the last such refusal was waited for; 0 if there was none
 * @param isRepeated whether no call was admitted since the last refusal: then it is twice as long
 */
export function untoldPause(lastMs: number, isRepeated: boolean): number {
  return isRepeated
    ? Math.min(Math.max(2 * lastMs, SHORTEST_UNTOLD_MS), LONGEST_ADDITION_MS)
    : Math.min(Math.max(lastMs, SHORTEST_UNTOLD_MS), LONGEST_FIRST_UNTOLD_MS)
}

function backOff(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
}
