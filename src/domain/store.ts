import type { AccountStore } from './store/accounts.ts'
import type { AnimalStore } from './store/animals.ts'
import type { ClaimLinkStore } from './store/claim-links.ts'
import type { OperatorStore } from './store/operators.ts'
import type { UsageStore } from './store/usage.ts'

/**
 * Port: what must be remembered. A promise that resolves after a write means that the write is on disk.
 * A write that takes an audit entry writes both or neither; one that finds nothing to change returns `false` or `undefined`, and
 * writes neither. The write itself adds to the entry what only its transaction can know (an account's earlier name or plan, a
 * successor's id). store.contract.ts tests these promises. Every method throws `StoreUnavailable` while the store cannot work.
 */
export interface Store extends AnimalStore, AccountStore, ClaimLinkStore, OperatorStore, UsageStore {
  /** Resolves when the store can be read and written. */
  check(): Promise<void>
  /**
   * Deletes what is kept for a limited time: creations older than the 24 hours of their idempotency keys, sessions that are over,
   * usage of the days before `firstUsageDay`, and usage by hour of days that are `HOURLY_USAGE_DAYS` or more in the past.
   */
  forgetExpired(now: number, firstUsageDay: number): Promise<void>
  close(): Promise<void>
}
