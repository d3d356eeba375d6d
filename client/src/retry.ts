import { type Answer, believedRetryAfter, retryAfterOf } from './answer.ts'
import type { PetstoreError } from './errors.ts'
import { AnswerTooLarge } from './exchange.ts'
import { MAX_WINDOW_SECONDS } from './rate-limit.ts'

/**
 * How often a call is sent again while nothing has ever answered at its address: often enough to survive a broken connection, but rarely
 * enough to report a mistyped address within two seconds.
 */
export const MAX_FIRST_CONTACT_RETRIES = 3

const FIRST_BACK_OFF_MS = 250
const MAX_BACK_OFF_MS = 30_000
/** For refusals without Retry-After. A minute is enough for the window that causes most of them. */
const MIN_GUESS_MS = 1_000
const MAX_FIRST_GUESS_MS = 60_000
/** Added after consecutive refusals, and doubled each time, so that processes that share a key do not earn a ban together. */
const FIRST_ADDITION_MS = 60_000
const MAX_ADDITION_MS = 300_000
/** The maximum jitter of a pause: as a share of the pause, and in total. */
const JITTER_SHARE = 0.1
const MAX_JITTER_MS = 1_000

/** Long enough for every window and every ban. */
export const DEFAULT_MAX_WAIT_MS: number = MAX_WINDOW_SECONDS * 1_000

/**
 * Whether a failed call may be sent again unchanged. A creation may, because it has an Idempotency-Key; all other calls change nothing.
 * @param answer undefined if none arrived
 */
export function isTransient(answer: Answer | undefined, error: PetstoreError): boolean {
  if (!answer) return !(error.cause instanceof AnswerTooLarge)
  const { status } = answer
  return status >= 500 || status === 429 || status === 408 || error.code === 'idempotency_in_progress'
}

/** Whether this answer makes all calls with the key wait, and not only the one that got it. */
export function closesGate(answer: Answer): boolean {
  return answer.status === 429 || (answer.status === 503 && Boolean(retryAfterOf(answer)))
}

/**
 * Milliseconds to wait before a call is sent again: Retry-After if the answer has it, else exponential back-off with full jitter. 0 if
 * the call waits at the gate.
 * @param attempt how many times the call has been sent
 */
export function pauseBefore(attempt: number, answer: Answer | undefined, random: () => number): number {
  if (answer && closesGate(answer)) return 0
  const retryAfterMs = answer && believedRetryAfter(answer)
  if (retryAfterMs) return withJitter(retryAfterMs, random)
  return random() * Math.min(FIRST_BACK_OFF_MS * 2 ** (attempt - 1), MAX_BACK_OFF_MS)
}

/**
 * Retry-After, and longer after consecutive refusals: because other processes with the key are faster, this process leaves them the next
 * minute, then two, then four. If several processes waited for Retry-After alone, they could get the key banned.
 * @param refusals the number of refusals in a row before this one
 */
export function pauseAfterRefusal(retryAfterMs: number, refusals: number): number {
  const addition = refusals === 0 ? 0 : Math.min(FIRST_ADDITION_MS * 2 ** (refusals - 1), MAX_ADDITION_MS)
  return retryAfterMs + addition
}

/** So that callers do not all come back at the same moment. */
export function withJitter(pauseMs: number, random: () => number): number {
  return pauseMs + random() * Math.min(pauseMs * JITTER_SHARE, MAX_JITTER_MS)
}

/**
 * Milliseconds that all calls with a key wait after a refusal by the limits without Retry-After: as long as the last time, because
 * starting small each time would cause a ban.
 * @param lastMs the last such pause; 0 if there was none
 * @param isRepeated whether no call was admitted since the last refusal; then the pause is twice as long
 */
export function guessPause(lastMs: number, isRepeated: boolean): number {
  return isRepeated
    ? Math.min(Math.max(2 * lastMs, MIN_GUESS_MS), MAX_ADDITION_MS)
    : Math.min(Math.max(lastMs, MIN_GUESS_MS), MAX_FIRST_GUESS_MS)
}

/** @throws RangeError if this is not a count */
export function parseMaxRetries(count: number): number {
  if (typeof count !== 'number' || !(count >= 0) || (!Number.isInteger(count) && count !== Number.POSITIVE_INFINITY)) {
    throw new RangeError(
      `maxRetries must be an integer from 0 upwards, or Infinity; it is the ${typeof count} ${count}.`,
    )
  }
  return count
}
