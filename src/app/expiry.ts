import { type ClockWatch, isInDoubt, timeOfAge } from '../domain/clock.ts'
import type { Store } from '../domain/store.ts'
import { dayOf } from '../domain/usage.ts'

interface Parts {
  store: Store
  /** How many days usage is kept, including the current one. */
  usageDays: number
  clock: ClockWatch
  /** Milliseconds of a monotonic clock. */
  steadyNow(): number
  watch: ExpiryWatch
}

export interface ExpiryWatch {
  /** From now on, nothing is deleted for its age. */
  clockInDoubt(now: number, confirmedAt: number): void
  clockConfirmed(): void
}

/** Deletes data for its age from the store. It deletes nothing while the clock is in doubt. */
export class Expiry {
  readonly #parts: Parts
  #confirmedAt: number | undefined
  #inDoubtSince: number | undefined
  #recorded: Promise<void> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async deleteExpired(now: number): Promise<void> {
    const isTrusted = await this.checkClock(now)
    await this.#recorded
    if (!isTrusted) return
    const { store, usageDays } = this.#parts
    await store.deleteExpired(now, dayOf(now) - usageDays + 1)
  }

  /** What the checks need to know about the clock. */
  get knownTimes(): { clockConfirmedAt: number | undefined; inDoubtSince: number | undefined } {
    return { clockConfirmedAt: this.#confirmedAt, inDoubtSince: this.#inDoubtSince }
  }

  /** The time at which the age of data in memory is judged. */
  timeOfAge(now: number): number {
    return timeOfAge(now, this.#confirmedAt)
  }

  /** Whether the clock can be trusted; reports when that changes. A service on a new store does not wait until that is recorded. */
  async checkClock(now: number): Promise<boolean> {
    const { store, clock, steadyNow, watch } = this.#parts
    const found = await store.readClock()
    const isConfirmed = clock.confirms({ wall: now, steady: steadyNow() }, found)
    this.#recorded = isConfirmed ? store.confirmClock(now) : Promise.resolve()
    // What deletes for age waits for it, and fails with it.
    this.#recorded.catch(() => {})
    const confirmedAt = isConfirmed ? now : found.confirmedAt
    this.#confirmedAt = confirmedAt
    const isDoubtful = isInDoubt(now, confirmedAt)
    if (isDoubtful === (this.#inDoubtSince !== undefined)) return !isDoubtful
    this.#inDoubtSince = isDoubtful ? now : undefined
    if (isDoubtful) watch.clockInDoubt(now, confirmedAt as number)
    else watch.clockConfirmed()
    return !isDoubtful
  }
}
