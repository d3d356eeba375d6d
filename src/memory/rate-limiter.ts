import type { Caller } from '../domain/account.ts'
import { type BanPolicy, type BanTerm, isInForce, nextBan, type Strikes, strike } from '../domain/ban.ts'
import { MAX_AHEAD_MS } from '../domain/clock.ts'
import {
  bannedDecision,
  type CountedAccount,
  type Counts,
  type CountsReading,
  type Decision,
  type RateLimiter,
  spend,
} from '../domain/rate-limiter.ts'
import type { AccountStore } from '../domain/store/accounts.ts'

/**
 * Counts in this process and saves to the store. It is exact because `consume` checks and counts in the same turn of the event loop.
 * It keeps only accounts whose day was not over a day ago, and keys that were refused recently.
 */
export class MemoryRateLimiter implements RateLimiter {
  readonly #store: AccountStore
  readonly #policy: BanPolicy
  readonly #onFailure: (error: unknown) => void
  readonly #counts = new Map<bigint, Counts>()
  readonly #unsaved = new Set<bigint>()
  readonly #strikes = new Map<bigint, Strikes>()
  /** Bans that are being stored, by key. Callers do not have them yet. */
  readonly #newBans = new Map<bigint, NewBan>()

  /**
   * Starts with the counts that an earlier process saved.
   * @param onFailure called when a ban cannot be stored
   */
  static async open(
    store: AccountStore,
    policy: BanPolicy,
    now: number,
    onFailure: (error: unknown) => void = () => {},
  ): Promise<MemoryRateLimiter> {
    const limiter = new MemoryRateLimiter(store, policy, onFailure)
    for (const { accountId, counts } of await store.listCounts(now - MAX_AHEAD_MS))
      limiter.#counts.set(accountId, counts)
    return limiter
  }

  private constructor(store: AccountStore, policy: BanPolicy, onFailure: (error: unknown) => void) {
    this.#store = store
    this.#policy = policy
    this.#onFailure = onFailure
  }

  consume(caller: Caller, now: number): Decision | Promise<Decision> {
    const { admitted, counts, decision } = spend(this.#counts.get(caller.accountId) ?? {}, caller.limits, now)
    const newBan = this.#newBans.get(caller.keyId)
    if (newBan) return this.#awaitBan(newBan, caller, decision, now)
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

  async read({ accountId }: CountedAccount, now: number): Promise<CountsReading> {
    return { counts: this.#counts.get(accountId) ?? {}, readAt: now, isComplete: true }
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
    const newBan = { term, isStored: this.#storeBan(caller.keyId, term) }
    this.#newBans.set(caller.keyId, newBan)
    return this.#awaitBan(newBan, caller, decision, now)
  }

  /** Returns whether the ban was stored. If not, the strikes stay, and the next ignored refusal tries again. */
  async #storeBan(keyId: bigint, term: BanTerm): Promise<boolean> {
    try {
      await this.#store.createBan(keyId, term)
      this.#strikes.delete(keyId)
      return true
    } catch (error) {
      this.#onFailure(error)
      return false
    } finally {
      this.#newBans.delete(keyId)
    }
  }

  /** Decides a call once the new ban of its key is stored. A ban that cannot be stored does not apply. */
  async #awaitBan({ term, isStored }: NewBan, caller: Caller, decision: Decision, now: number): Promise<Decision> {
    if (await isStored) return bannedDecision(decision, term.endsAt)
    return decision.outcome === 'admitted' ? this.consume(caller, now) : decision
  }

  #forgetOver(now: number): void {
    for (const [accountId, { day }] of this.#counts) {
      // If the clock is set back over midnight, the day must not begin again. A minute ends before a day has passed, too.
      const isOver = (day?.resetsAt ?? 0) <= now - MAX_AHEAD_MS
      if (isOver && !this.#unsaved.has(accountId)) this.#counts.delete(accountId)
    }
    for (const [keyId, { windowResetsAt, times }] of this.#strikes) {
      const isRecent = (times.at(-1) ?? 0) > now - this.#policy.withinSeconds * 1_000
      if (windowResetsAt <= now && !isRecent) this.#strikes.delete(keyId)
    }
  }
}

interface NewBan {
  term: BanTerm
  isStored: Promise<boolean>
}
