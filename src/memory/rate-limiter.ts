import type { LRUCache } from 'lru-cache'
import type { Caller } from '../domain/account.ts'
import {
  type Ban,
  type BanPolicy,
  banAfter,
  banOfSource,
  isInForce,
  MAX_SOURCES,
  type Strikes,
  strike,
} from '../domain/ban.ts'
import { MAX_AHEAD_MS } from '../domain/clock.ts'
import {
  bannedDecision,
  type CountedAccount,
  type Counts,
  type CountsReading,
  type Decision,
  type RateLimiter,
  type Source,
  spend,
  windowsOf,
} from '../domain/rate-limiter.ts'
import type { AccountStore } from '../domain/store/accounts.ts'
import { addressCache } from './address-limiter.ts'
import { NewBans } from './new-bans.ts'

/**
 * Counts in this process and saves to the store. It is exact because `consume` checks and counts in the same turn of the event loop.
 * It keeps only accounts whose day was not over a day ago, and keys that were refused recently.
 */
export class MemoryRateLimiter implements RateLimiter {
  readonly #store: AccountStore
  readonly #policy: BanPolicy
  readonly #counts = new Map<bigint, Counts>()
  readonly #unsaved = new Set<bigint>()
  readonly #strikes = new Map<bigint, KeyStrikes>()
  readonly #newBans: NewBans

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
    this.#newBans = new NewBans(store, policy, onFailure)
  }

  consume(caller: Caller, source: Source, now: number): Decision | Promise<Decision> {
    const before = this.#counts.get(caller.accountId) ?? {}
    const { admitted, counts, decision } = spend(before, caller.limits, now)
    if (caller.bans.length > 0 || !this.#newBans.isEmpty) {
      const newBan = this.#newBans.find(caller.keyId, source())
      if (newBan) return this.#awaitBan(newBan, caller, source, decision, now)
      const ban = banOfSource(caller.bans, source())
      if (ban && isInForce(ban, now)) return bannedDecision(windowsOf(before, caller.limits, now), ban.endsAt, now)
    }
    if (!admitted) return this.#refuse(caller, source, decision, now)
    this.#counts.set(caller.accountId, counts)
    this.#unsaved.add(caller.accountId)
    return decision
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

  /** The refusal counts as a strike, unless the key already has as many bans as it may have. */
  #refuse(caller: Caller, source: Source, decision: Decision, now: number): Decision | Promise<Decision> {
    if (this.#newBans.isFull(caller, now)) return decision
    const { resetsAt } = decision.shown
    let ofKey = this.#strikes.get(caller.keyId)
    if (ofKey?.windowResetsAt !== resetsAt) {
      ofKey = { windowResetsAt: resetsAt, bySource: addressCache(MAX_SOURCES) }
      this.#strikes.set(caller.keyId, ofKey)
    }
    const after = banAfter(this.#policy, caller.limits)
    const { strikes, earnsBan } = strike(ofKey.bySource.get(source()), now, after, this.#policy.withinSeconds)
    ofKey.bySource.set(source(), strikes)
    if (!earnsBan) return decision
    const newBan = this.#newBans.store(caller, source(), decision)
    newBan.then(ban => ban && ofKey.bySource.delete(source()))
    return this.#awaitBan(newBan, caller, source, decision, now)
  }

  /** Decides a call once the new ban is stored. A ban that cannot be stored does not apply. */
  async #awaitBan(newBan: Promise<Ban | undefined>, caller: Caller, source: Source, decision: Decision, now: number) {
    const ban = await newBan
    const counts = this.#counts.get(caller.accountId) ?? {}
    if (ban) return bannedDecision(windowsOf(counts, caller.limits, now), ban.endsAt, now)
    return decision.outcome === 'admitted' ? this.consume(caller, source, now) : decision
  }

  #forgetOver(now: number): void {
    for (const [accountId, { day }] of this.#counts) {
      // If the clock is set back over midnight, the day must not begin again. A minute ends before a day has passed, too.
      const isOver = (day?.resetsAt ?? 0) <= now - MAX_AHEAD_MS
      if (isOver && !this.#unsaved.has(accountId)) this.#counts.delete(accountId)
    }
    for (const [keyId, { windowResetsAt }] of this.#strikes) {
      if (windowResetsAt <= now) this.#strikes.delete(keyId)
    }
  }
}

/** The strikes of one key in one exhausted window. */
interface KeyStrikes {
  windowResetsAt: number
  bySource: LRUCache<string, Strikes>
}
