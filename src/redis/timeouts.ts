import { afterSilence } from '../domain/silence.ts'

/** Milliseconds to wait for Redis before an outage is declared. */
export const REDIS_TIMEOUT_MS = 1_000

/** Waits for a response of Redis, but no longer than the timeout. */
export function withTimeout<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const answered = afterSilence(REDIS_TIMEOUT_MS, () => reject(new Error('No response arrived in time.')))
    answer.then(resolve, reject).finally(answered)
  })
}
