export interface Clock {
  /** Monotonic milliseconds: changes to the machine's wall clock do not affect them. */
  now(): number
  /** Runs a function once, after this time. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void
  /** The date, by the machine's wall clock. */
  dateOf(at: number): Date
}

export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const end = this.now() + ms
    let timer: ReturnType<typeof setTimeout>
    const set = (left: number) => {
      timer = setTimeout(check, Math.min(Math.max(0, Math.ceil(left)), MAX_TIMER_MS))
    }
    // A timer may fire slightly early, and its delay is limited.
    const check = () => {
      const left = end - this.now()
      if (left > 0) set(left)
      else run()
    }
    set(ms)
    return () => clearTimeout(timer)
  },
  dateOf: at => new Date(Date.now() + at - performance.now()),
}

const MAX_TIMER_MS = 2 ** 31 - 1

/** @throws the signal's reason when the signal is aborted */
export function sleep(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** @throws RangeError if this is not a number: a comparison with it would always be false */
export function parseMilliseconds(name: string, ms: number): number {
  if (typeof ms !== 'number' || Number.isNaN(ms)) {
    throw new RangeError(`${name} must be a number of milliseconds; it is the ${typeof ms} ${ms}.`)
  }
  return ms
}
