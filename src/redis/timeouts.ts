import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds to wait for Redis before an outage is declared. */
export const REDIS_TIMEOUT_MS = 1_000
const CHECK_MS = 100
const MIN_CHECKS = 10
/** Waits that begin within this time end together: a timer for each of them would cost more than the rest of the wait. */
const TOGETHER_MS = 20

/** Rejects when the waits that begin now are over. */
let silence: Promise<never> | undefined

/**
 * Waits for a response of Redis, but no longer than the timeout. Only silence of the other side counts: the wait is divided into checks, and this
 * process reads everything that has arrived before each check. If the process itself is blocked, its checks run later, so it waits longer.
 */
export function withTimeout<Answer>(answer: Promise<Answer>): Promise<Answer> {
  silence ??= endInSilence()
  return Promise.race([answer, silence])
}

async function endInSilence(): Promise<never> {
  await check(TOGETHER_MS)
  silence = undefined
  const endsAt = performance.now() + REDIS_TIMEOUT_MS
  for (let checks = 0; checks < MIN_CHECKS || performance.now() < endsAt; checks += 1) await check(CHECK_MS)
  throw new Error('No response arrived in time.')
}

async function check(afterMs: number): Promise<void> {
  await sleep(afterMs, undefined, { ref: false })
  // An immediate runs after everything that has arrived has been read.
  await setImmediate()
}
