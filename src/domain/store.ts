import type { NewAuditEntry } from './audit.ts'
import type { StoreClock } from './clock.ts'
import type { AccountStore } from './store/accounts.ts'
import type { AnimalStore } from './store/animals.ts'
import type { ClaimLinkStore } from './store/claim-links.ts'
import type { OperatorStore } from './store/operators.ts'
import type { RefusalStore } from './store/refusals.ts'
import type { SourceStore } from './store/sources.ts'
import type { UsageStore } from './store/usage.ts'

/**
 * Port: persistent storage. When the promise of a write resolves, the write is on disk.
 * A write that takes an audit entry writes both or neither. If it finds nothing to change, it returns `false` or `undefined` and
 * writes neither. The write adds to the entry what only its transaction can know (an account's earlier name or plan, a
 * successor's id). store.contract.ts tests these promises. Every method throws `StoreUnavailable` while the store cannot be used.
 */
export interface Store
  extends AnimalStore,
    AccountStore,
    ClaimLinkStore,
    ClockStore,
    OperatorStore,
    RefusalStore,
    SourceStore,
    UsageStore {
  /** Resolves when the store can be read and written. */
  check(): Promise<void>
  /**
   * Deletes expired data: creations older than the 24 hours of their idempotency keys, sessions that have ended, usage of the days
   * before `firstUsageDay`, hourly usage of days that are `HOURLY_USAGE_DAYS` or more in the past, and refused calls as of `firstRefusalKept`.
   */
  deleteExpired(now: number, firstUsageDay: number): Promise<void>
  /**
   * Resolves when no instance acts on a state before a change that has been committed. A write that changes something does that itself; one that
   * finds nothing to change may repeat one that was committed just now, and whose answer was lost. Never rejects.
   */
  settleChanges(): Promise<void>
  close(): Promise<void>
}

/** The part of the store port about its clock; see domain/clock.ts. */
interface ClockStore {
  readClock(): Promise<StoreClock>
  /** Records that the clock was right at this time. If an operator says so, with an entry. */
  confirmClock(at: number, entry?: NewAuditEntry): Promise<void>
}
