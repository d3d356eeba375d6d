/** Milliseconds to wait for Redis before an outage is declared. */
export const REDIS_TIMEOUT_MS = 1_000
const CHECK_MS = 100
const MIN_CHECKS = 10

/** All waits, in order. They share their checks: a timer for each call, as the driver has, would cost more than the rest of the wait. */
const waits = new Set<{ endsAt: number; endsAtCheck: number; reject(error: Error): void }>()
let checks = 0
let isChecking = false

/**
 * Waits for a response of Redis, but no longer than the timeout. Only silence of the other side counts: the wait is divided into checks, and this
 * process reads everything that has arrived before each check. If the process itself is blocked, its checks run later, so it waits longer.
 */
export function withTimeout<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const wait = { endsAt: performance.now() + REDIS_TIMEOUT_MS, endsAtCheck: checks + MIN_CHECKS, reject }
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
  if (isChecking) setTimeout(() => setImmediate(check), CHECK_MS)
}

function check(): void {
  checks += 1
  const now = performance.now()
  for (const wait of waits) {
    if (wait.endsAtCheck > checks || wait.endsAt > now) break
    waits.delete(wait)
    wait.reject(new Error('No response arrived in time.'))
  }
  checkLater()
}
