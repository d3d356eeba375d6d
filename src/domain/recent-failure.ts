import type { StoreUnavailable } from './errors.ts'

/** For how long a failure counts, whatever succeeds meanwhile. */
const COUNTS_MS = 10_000

/** The last failure of a kind that a probe of the store does not meet, because it needs less space or fewer rights than other calls. */
export class RecentFailure {
  #last: { at: number; error: StoreUnavailable } | undefined

  note(error: StoreUnavailable): void {
    this.#last = { at: performance.now(), error }
  }

  /** @throws the noted failure while it counts */
  ensureNone(): void {
    if (this.#last && performance.now() - this.#last.at < COUNTS_MS) throw this.#last.error
  }
}
