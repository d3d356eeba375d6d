import type { Caller } from '../domain/account.ts'
import { type BanPolicy, type BanTerm, isInForce, nextBan, type Strikes, strike } from '../domain/ban.ts'
import {
  bannedDecision,
  type Counts,
  current,
  DAY_MS,
  type Decision,
  MINUTE_MS,
  type RateLimiter,
  spend,
} from '../domain/rate-limiter.ts'
import type { Store } from '../domain/store.ts'

/**
 * Counts in this process, saves in the store. Exact because nothing can come between the check and the count: `consume` does both
 * in one turn of the event loop. Holds only accounts whose day is not over and keys that were refused lately.
 */
export class MemoryRateLimiter implements RateLimiter {
  readonly #store: Store
  readonly #policy: BanPolicy
  readonly #onFailure: (error: unknown) => void
  readonly #counts = new Map<bigint, Counts>()
  readonly #unsaved = new Set<bigint>()
  readonly #strikes = new Map<bigint, Strikes>()
  /** Bans that are being stored: the caller does not carry them yet. */
  readonly #beginning = new Map<bigint, Beginning>()

  /**
   * Takes up what an earlier process has saved.
   * @param onFailure is told why a ban could not be stored
   */
  static async open(
    store: Store,
    policy: BanPolicy,
    now: number,
    onFailure: (error: unknown) => void = () => {},
  ): Promise<MemoryRateLimiter> {
    const limiter = new MemoryRateLimiter(store, policy, onFailure)
    for (const { accountId, counts } of await store.listCounts(now)) limiter.#counts.set(accountId, counts)
    return limiter
  }

  private constructor(store: Store, policy: BanPolicy, onFailure: (error: unknown) => void) {
    this.#store = store
    this.#policy = policy
    this.#onFailure = onFailure
  }

  consume(caller: Caller, now: number): Decision | Promise<Decision> {
    const { admitted, counts, decision } = spend(this.#counts.get(caller.accountId) ?? {}, caller.limits, now)
    const beginning = this.#beginning.get(caller.keyId)
    if (beginning) return this.#awaitBan(beginning, caller, decision, now)
    if (caller.lastBan && isInForce(caller.lastBan, now)) return bannedDecision(decision, caller.lastBan.endsAt)
    if (admitted) {
      this.#counts.set(caller.accountId, counts)
      this.#unsaved.add(caller.accountId)
      return decision
    }
    const { strikes, earnsBan } = strike(this.#strikes.get(caller.keyId), decision.shown.resetsAt, now, this.#policy)
    this.#strikes.set(caller.keyId, { ...strikes, times: strikes.times.slice(-this.#policy.after) })
    return earnsBan ? this.#ban(caller, decision, now) : decision
  }

  async save(now: number): Promise<void> {
    const accounts = [...this.#unsaved].map(accountId => ({ accountId, counts: this.#counts.get(accountId) ?? {} }))
    this.#unsaved.clear()
    try {
      await this.#store.saveCounts(accounts)
    } catch (error) {
      for (const { accountId } of accounts) this.#unsaved.add(accountId)
      throw error
    }
    this.#forgetOver(now)
  }

  #ban(caller: Caller, decision: Decision, now: number): Promise<Decision> {
    const term = nextBan(caller.lastBan, now, this.#policy)
    const beginning = { term, isStored: this.#storeBan(caller.keyId, term) }
    this.#beginning.set(caller.keyId, beginning)
    return this.#awaitBan(beginning, caller, decision, now)
  }

  /** Whether it could be stored. If not, the strikes are kept: the next refusal ignored tries again. */
  async #storeBan(keyId: bigint, term: BanTerm): Promise<boolean> {
    try {
      await this.#store.createBan(keyId, term)
      this.#strikes.delete(keyId)
      return true
    } catch (error) {
      this.#onFailure(error)
      return false
    } finally {
      this.#beginning.delete(keyId)
    }
  }

  /** What a call is told that meets a ban which is being stored. A ban that cannot be stored is none. */
  async #awaitBan({ term, isStored }: Beginning, caller: Caller, decision: Decision, now: number): Promise<Decision> {
    if (await isStored) return bannedDecision(decision, term.endsAt)
    return decision.outcome === 'admitted' ? this.consume(caller, now) : decision
  }

  #forgetOver(now: number): void {
    for (const [accountId, { minute, day }] of this.#counts) {
      const over = !current(minute, MINUTE_MS, now) && !current(day, DAY_MS, now)
      if (over && !this.#unsaved.has(accountId)) this.#counts.delete(accountId)
    }
    for (const [keyId, { windowResetsAt, times }] of this.#strikes) {
      const recent = (times.at(-1) ?? 0) > now - this.#policy.withinSeconds * 1_000
      if (windowResetsAt <= now && !recent) this.#strikes.delete(keyId)
    }
  }
}

/** A ban that is being stored, and whether it could be. */
interface Beginning {
  term: BanTerm
  isStored: Promise<boolean>
}
