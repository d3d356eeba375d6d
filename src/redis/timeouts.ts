/** Milliseconds to wait for Redis before an outage is declared. */
export const REDIS_TIMEOUT_MS = 1_000
const CHECKS = 10

interface Wait {
  readonly endsAt: number
  checksLeft: number
  reject(error: Error): void
}

/** All waits. They share their checks: a timer for each call, as the driver has, would cost more than the rest of the wait. */
const waits = new Set<Wait>()
let isChecking = false

/**
 * Waits for a response of Redis, but no longer than the timeout. Only silence of the other side counts: the wait is divided into checks, and this
 * process reads everything that has arrived before each check. If the process itself is blocked, its checks run later, so it waits longer.
 */
export function withTimeout<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const wait = { endsAt: performance.now() + REDIS_TIMEOUT_MS, checksLeft: CHECKS, reject }
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
  const now = performance.now()
  for (const wait of waits) {
    wait.checksLeft -= 1
    if (wait.checksLeft > 0 || now < wait.endsAt) continue
    waits.delete(wait)
    wait.reject(new Error('No response arrived in time.'))
  }
  checkLater()
}
