import type { Limits } from '../domain/plan.ts'
import { type Counts, type Decision, maxCounts } from '../domain/rate-limiter.ts'
import {
  markReported,
  oneCall,
  renewShare,
  reseedShare,
  type Share,
  spendShare,
  unmarkReported,
  unreportedOf,
} from './share.ts'
import { withTimeout } from './timeouts.ts'

/** What this instance knows about the calls of one account or address. */
export class Tally {
  readonly key: string
  /** As of its last call. An address has no limit per day: Infinity. */
  limits: Limits
  /** The counts as Redis or the store last returned them. */
  known: Counts = {}
  /** When Redis last returned them, by the clock that times the windows. */
  knownAt = 0
  /** The calls that were counted without Redis. */
  share: Share = {}
  /** The outage in which the saved counts were last loaded. */
  loadedIn: number | undefined
  /** Set while saved counts are being loaded. */
  loading: Promise<void> | undefined
  readonly #findSaved: (() => Promise<Counts>) | undefined
  #shareOutage: number | undefined
  #openReports = 0

  /** @param findSaved returns the counts in the store, if they are saved there */
  constructor(key: string, limits: Limits, findSaved?: () => Promise<Counts>) {
    this.key = key
    this.limits = limits
    this.#findSaved = findSaved
  }

  get isAddress(): boolean {
    return !Number.isFinite(this.limits.perDay)
  }

  /** Whether there are calls that Redis does not know about or has not yet confirmed. */
  get hasUnreported(): boolean {
    return this.#openReports > 0 || !isEmpty(unreportedOf(this.share))
  }

  /** Decides a call against the share. */
  spend(outage: number, instances: number, at: number): Spent {
    if (this.#shareOutage !== outage) this.share = renewShare(this.share, this.known, at)
    this.#shareOutage = outage
    const { admitted, share, decision } = spendShare(this.share, this.known, this.limits, instances, at)
    this.share = share
    return { admitted, decision, call: admitted ? oneCall(share) : {} }
  }

  /** @param call the call that Redis is to decide, if it was also counted against the share */
  beginReport(call: Counts = {}): Report {
    if (isEmpty(this.share)) return NO_REPORT
    this.share = markReported(this.share, call)
    const earlier = unreportedOf(this.share)
    this.share = markReported(this.share, earlier)
    if (isEmpty(call) && isEmpty(earlier)) return NO_REPORT
    this.#openReports += 1
    return { earlier, call }
  }

  endReport(report: Report): void {
    if (report !== NO_REPORT) this.#openReports -= 1
  }

  failReport(report: Report): void {
    this.endReport(report)
    this.share = unmarkReported(unmarkReported(this.share, report.earlier), report.call)
  }

  /**
   * Loads the counts from the store. If they arrive after the timeout, later calls use them. There must be no unreported calls: they are saved
   * too, and would be counted twice.
   */
  async load(timeoutMs: number, at: number): Promise<void> {
    if (!this.#findSaved) return
    this.loading ??= this.#findSaved()
      .then(saved => {
        this.known = maxCounts(this.known, saved, at)
        this.share = reseedShare(this.share, saved, at)
      })
      .finally(() => {
        this.loading = undefined
      })
    // Without the store, use the counts that Redis last returned.
    await withTimeout(this.loading, timeoutMs).catch(() => {})
  }
}

/** A call decided against the share. */
export interface Spent {
  admitted: boolean
  decision: Decision
  /** What the call added to the share's counts. */
  call: Counts
}

/** The calls that a request reports to Redis: earlier ones, and the call that it asks Redis to decide. */
export interface Report {
  earlier: Counts
  call: Counts
}

const NO_REPORT: Report = { earlier: {}, call: {} }

export function isEmpty({ minute, day }: { minute?: unknown; day?: unknown }): boolean {
  return !(minute || day)
}
