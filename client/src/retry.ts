import { type Answer, retryAfterOf } from './answer.ts'

const FIRST_BACK_OFF_MS = 250
const MAX_BACK_OFF_MS = 30_000
/** For refusals without Retry-After. A minute is enough for the window that most of them are about. */
const MIN_GUESS_MS = 1_000
const MAX_FIRST_GUESS_MS = 60_000
/** Added when calls are refused in a row, and doubled each time. Ten refusals within ten minutes would earn a ban. */
const FIRST_ADDITION_MS = 60_000
const MAX_ADDITION_MS = 300_000
/** The random addition to a pause, at most: as a share of it, and in total. */
const JITTER_SHARE = 0.1
const MAX_JITTER_MS = 1_000

/**
 * Whether a refused call may be sent again unchanged. A creation may, because it has an Idempotency-Key; all other calls change nothing.
 */
export function isTransient(status: number, code: string): boolean {
  return status >= 500 || status === 429 || status === 408 || (status === 409 && code === 'idempotency_in_progress')
}

/**
 * Milliseconds to wait before a call is sent again: Retry-After if the answer has it, else exponential back-off with full jitter.
 * @param attempt how many times the call has been sent
 */
export function pauseBefore(attempt: number, answer: Answer | undefined, random: () => number): number {
  const retryAfterMs = answer && retryAfterOf(answer)
  if (retryAfterMs) return pauseAfterRefusal(retryAfterMs, 0, random)
  return random() * Math.min(FIRST_BACK_OFF_MS * 2 ** (attempt - 1), MAX_BACK_OFF_MS)
}

/**
 * Retry-After and a little more, so that not all callers come back at the same moment. If calls are refused in a row, because other
 * processes with the key are faster, this process leaves them the next minute, then two, four. With Retry-After alone, several processes
 * would earn the key a ban.
 * @param refusals the number of refusals in a row before this one
 */
export function pauseAfterRefusal(retryAfterMs: number, refusals: number, random: () => number): number {
  const addition = refusals === 0 ? 0 : Math.min(FIRST_ADDITION_MS * 2 ** (refusals - 1), MAX_ADDITION_MS)
  return retryAfterMs + addition + random() * Math.min(retryAfterMs * JITTER_SHARE, MAX_JITTER_MS)
}

/**
 * Milliseconds that all calls with a key wait after a refusal by the limits without Retry-After: as long as the last time, because
 * starting small each time would earn a ban.
 * @param lastMs the last such pause; 0 if there was none
 * @param isRepeated whether no call was admitted since the last refusal; then the pause is twice as long
 */
export function guessPause(lastMs: number, isRepeated: boolean): number {
  return isRepeated
    ? Math.min(Math.max(2 * lastMs, MIN_GUESS_MS), MAX_ADDITION_MS)
    : Math.min(Math.max(lastMs, MIN_GUESS_MS), MAX_FIRST_GUESS_MS)
}
