/** Milliseconds to wait for Redis before an outage is declared. */
export const REDIS_TIMEOUT_MS = 1_000
const CHECKS = 20

/** All waits, in order. They share their checks: a timer for each call, as the driver has, would cost more than the rest of the wait. */
const waits = new Set<{ lastCheck: number; reject(error: Error): void }>()
let checks = 0
let isChecking = false

/**
 * Waits for a response of Redis, but no longer than the timeout. Only silence of the other side counts: the wait is divided into checks, and this
 * process reads everything that has arrived before each check. If the process itself is blocked, its checks run later, so it waits longer.
 */
export function withTimeout<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // The next check may come at any moment, so it does not count.
    const wait = { lastCheck: checks + 1 + CHECKS, reject }
    waits.add(wait)
    if (!isChecking) checkLater()
    answer.then(
      value => {
        waits.delete(wait)
        resolve(value)
      },
      error => {
        waits.delete(wait)
        reject(error)
      },
    )
  })
}

function checkLater(): void {
  isChecking = waits.size > 0
  // An immediate runs after everything that has arrived has been read.
  if (isChecking) setTimeout(() => setImmediate(check), REDIS_TIMEOUT_MS / CHECKS)
}

function check(): void {
  checks += 1
  for (const wait of waits) {
    if (wait.lastCheck > checks) break
    waits.delete(wait)
    wait.reject(new Error('No response arrived in time.'))
  }
  checkLater()
}
