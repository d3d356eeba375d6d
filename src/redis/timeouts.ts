/** Milliseconds to wait for Redis before an outage is declared. */
export const REDIS_TIMEOUT_MS = 1_000
const CHECK_MS = 100

export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/**
 * Waits for a response, but no longer than the timeout; then rejects with `NoAnswer`. Only silence of the other side counts: the wait is divided
 * into checks, and this process reads everything that has arrived before each check. If the process itself is blocked, its checks run later, so
 * it waits longer.
 */
export function withTimeout<Answer>(answer: Promise<Answer>, ms = REDIS_TIMEOUT_MS): Promise<Answer> {
  const waits = allWaits.getOrInsertComputed(ms, newWaits)
  return new Promise((resolve, reject) => {
    const wait = waits.begin(reject)
    answer.then(
      value => {
        waits.end(wait)
        resolve(value)
      },
      error => {
        waits.end(wait)
        reject(error)
      },
    )
  })
}

interface Wait {
  readonly endsAt: number
  checksLeft: number
  reject(error: Error): void
}

/** All waits with the same timeout. They share their checks: one timer per call would cost more than the rest of the wait. */
class Waits {
  readonly #ms: number
  readonly #waits = new Set<Wait>()
  #isChecking = false

  constructor(ms: number) {
    this.#ms = ms
  }

  begin(reject: (error: Error) => void): Wait {
    const wait = { endsAt: performance.now() + this.#ms, checksLeft: Math.ceil(this.#ms / CHECK_MS), reject }
    this.#waits.add(wait)
    if (!this.#isChecking) this.#checkLater()
    return wait
  }

  end(wait: Wait): void {
    this.#waits.delete(wait)
  }

  #checkLater(): void {
    this.#isChecking = true
    // An immediate runs after everything that has arrived has been read.
    setTimeout(() => setImmediate(() => this.#check()), Math.min(this.#ms, CHECK_MS))
  }

  #check(): void {
    const now = performance.now()
    for (const wait of this.#waits) {
      wait.checksLeft -= 1
      if (wait.checksLeft > 0 || now < wait.endsAt) continue
      this.#waits.delete(wait)
      wait.reject(new NoAnswer('No response arrived in time.'))
    }
    if (this.#waits.size > 0) this.#checkLater()
    else this.#isChecking = false
  }
}

const newWaits = (ms: number) => new Waits(ms)
const allWaits = new Map<number, Waits>()
