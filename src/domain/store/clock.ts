import type { NewAuditEntry } from '../audit.ts'
import type { StoreClock } from '../clock.ts'

/** The part of the store port about its clock; see domain/clock.ts. */
export interface ClockStore {
  readClock(): Promise<StoreClock>
  /** Records that the clock was right at this time. If an operator says so, with an entry. */
  confirmClock(at: number, entry?: NewAuditEntry): Promise<void>
}
