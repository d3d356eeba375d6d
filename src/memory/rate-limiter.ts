import type { LRUCache } from 'lru-cache'
import type { Caller } from '../domain/account.ts'
import {
  type Ban,
  type BanPolicy,
  banAfter,
  banOfSource,
  isInForce,
  MAX_BANS,
  MAX_SOURCES,
  nextBan,
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
  readonly #strikes = new Map<bigint, KeyStrikes>()
  /** Bans that are being stored. Callers do not have them yet. */
  readonly #newBans: NewBan[] = []

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

  consume(caller: Caller, source: Source, now: number): Decision | Promise<Decision> {
    const before = this.#counts.get(caller.accountId) ?? {}
    const { admitted, counts, decision } = spend(before, caller.limits, now)
    if (caller.bans.length > 0 || this.#newBans.length > 0) {
      const newBan = this.#findNewBan(caller, source)
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
    if (this.#countBans(caller, now) >= MAX_BANS) return decision
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
    const stored = this.#storeBan(caller, source(), decision, now)
    const newBan: NewBan = { keyId: caller.keyId, source: source(), stored }
    this.#newBans.push(newBan)
    stored.finally(() => this.#newBans.splice(this.#newBans.indexOf(newBan), 1))
    return this.#awaitBan(newBan, caller, source, decision, now)
  }

  /** Undefined if the ban cannot be stored: the strikes stay, and the next ignored refusal tries again. Never rejects. */
  async #storeBan({ keyId }: Caller, source: string, { shown }: Decision, now: number): Promise<Ban | undefined> {
    try {
      const last = await this.#store.findLastBan(keyId, source)
      const ban = await this.#store.createBan(keyId, nextBan(last, source, shown, now, this.#policy))
      this.#strikes.get(keyId)?.bySource.delete(source)
      return ban
    } catch (error) {
      this.#onFailure(error)
      return undefined
    }
  }

  /** Decides a call once the new ban is stored. A ban that cannot be stored does not apply. */
  async #awaitBan({ stored }: NewBan, caller: Caller, source: Source, decision: Decision, now: number) {
    const ban = await stored
    const counts = this.#counts.get(caller.accountId) ?? {}
    if (ban) return bannedDecision(windowsOf(counts, caller.limits, now), ban.endsAt, now)
    return decision.outcome === 'admitted' ? this.consume(caller, source, now) : decision
  }

  #findNewBan({ keyId }: Caller, source: Source): NewBan | undefined {
    return this.#newBans.find(ban => ban.keyId === keyId && ban.source === source())
  }

  #countBans({ keyId, bans }: Caller, now: number): number {
    if (bans.length === 0 && this.#newBans.length === 0) return 0
    return bans.filter(ban => isInForce(ban, now)).length + this.#newBans.filter(ban => ban.keyId === keyId).length
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

interface NewBan {
  keyId: bigint
  source: string
  stored: Promise<Ban | undefined>
}
