/** What time it is, and what is to be done later. */
export interface Clock {
  /** Milliseconds that pass evenly, whatever the machine's calendar is set to meanwhile. */
  now(): number
  /** Runs something once, not before this time is over. What is returned takes it back. */
  after(ms: number, run: () => void): () => void
  /** What the calendar shows at such a time. */
  dateOf(at: number): Date
}

export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const end = this.now() + ms
    let timer: ReturnType<typeof setTimeout>
    const set = (left: number) => {
      timer = setTimeout(look, Math.min(Math.max(0, Math.ceil(left)), LONGEST_TIMER_MS))
    }
    // A timer may go off a moment early, and cannot be set for longer than this.
    const look = () => {
      const left = end - this.now()
      if (left > 0) set(left)
      else run()
    }
    set(ms)
    return () => clearTimeout(timer)
  },
  dateOf: at => new Date(Date.now() + at - performance.now()),
}

const LONGEST_TIMER_MS = 2 ** 31 - 1

/** @throws the signal's reason when that is aborted */
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
