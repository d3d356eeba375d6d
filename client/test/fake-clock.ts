import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../src/clock.ts'

interface Timer {
  at: number
  run(): void
}

/** A clock of whole milliseconds that jumps to the next timer as soon as everything that the last one started is done. */
export class FakeClock implements Clock {
  #now = 0
  readonly #timers = new Set<Timer>()

  now(): number {
    return this.#now
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: Math.ceil(this.#now + Math.max(0, ms)), run }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  dateOf(at: number): Date {
    return new Date(at)
  }

  /** Resolves at this time. */
  reach(at: number): Promise<void> {
    return new Promise(resolve => this.after(at - this.#now, resolve))
  }

  /** Runs until this time, or until no timers are left. */
  async run(until = Number.POSITIVE_INFINITY): Promise<void> {
    for (let steps = 0; ; steps += 1) {
      if (steps > MANY) throw new Error(`The timers never end at ${this.#now}.`)
      await setImmediate()
      const next = this.#next()
      if (!next || next.at > until) break
      this.#timers.delete(next)
      this.#now = next.at
      next.run()
    }
    if (until !== Number.POSITIVE_INFINITY) this.#now = until
  }

  /** The number of timers left. */
  get left(): number {
    return this.#timers.size
  }

  #next(): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) if (!next || timer.at < next.at) next = timer
    return next
  }
}

/** More than any test needs. */
const MANY = 20_000
