import type { Caller } from '../domain/account.ts'
import { type BanPolicy, banAfter, banOfSource } from '../domain/ban.ts'
import {
  bannedDecision,
  type CountedAccount,
  type Counts,
  type CountsReading,
  type Decision,
  maxCounts,
  type RateLimiter,
  type Source,
} from '../domain/rate-limiter.ts'
import type { AccountStore } from '../domain/store/accounts.ts'
import { NewBans } from '../memory/new-bans.ts'
import { type KeyArgs, NO_KEY, newTally, type Tally } from './consume.ts'
import type { SharedCounter } from './shared-counter.ts'
import { withTimeout } from './timeouts.ts'

const FORGET_EVERY_MS = 60_000

export interface AccountLimiterOptions {
  store: AccountStore
  ban: BanPolicy
  /** @param error why a ban could not be stored */
  watch: { failed(error: unknown): void }
}

/**
 * Counts in Redis, together with the other instances, and saves to the store. Ban, quota and strike are one step in Redis (consume.lua).
 * The call that triggers a ban claims it in Redis, and its instance stores the ban. Other calls with the key from the source wait until the
 * ban is stored, or storing it has failed.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #counter: SharedCounter
  readonly #keyOf: (accountId: bigint) => string
  readonly #store: AccountStore
  readonly #policy: BanPolicy
  readonly #newBans: NewBans
  readonly #tallies = new Map<bigint, Tally>()
  readonly #unsaved = new Map<bigint, Tally>()
  #forgotAt = 0

  /** @param keyOf the key in Redis that holds an account */
  constructor(counter: SharedCounter, keyOf: (accountId: bigint) => string, options: AccountLimiterOptions) {
    const { store, ban, watch } = options
    this.#counter = counter
    this.#keyOf = keyOf
    this.#store = store
    this.#policy = ban
    this.#newBans = new NewBans(store, ban, watch.failed)
  }

  async consume(caller: Caller, sourceOf: Source, now: number): Promise<Decision> {
    const tally = this.#tallies.getOrInsertComputed(caller.accountId, () => this.#createTally(caller))
    tally.limits = caller.limits
    const source = sourceOf()
    const key = this.#keyArgs(caller, source, this.#counter.clockOf(tally, now))
    const { decision, earnsBan } = await this.#counter.decide(tally, key, now)
    if (earnsBan) return this.#ban(caller, source, tally, decision)
    if (decision.outcome === 'admitted') this.#unsaved.set(caller.accountId, tally)
    return decision
  }

  /** The store has the counts of an account that Redis has lost, and of one that others count alone during an outage. */
  async read(account: CountedAccount, now: number): Promise<CountsReading> {
    const tally = this.#tallies.get(account.accountId) ?? this.#createTally(account)
    const [reply, saved] = await Promise.all([
      this.#counter.ask(tally, 'peek', NO_KEY, now),
      this.#store.findCounts(account.accountId),
    ])
    const readAt = reply?.decidedAt ?? this.#counter.clockOf(tally, now)
    const counts = maxCounts(tally.ledger.counts(readAt), saved, readAt)
    return { counts, readAt, isComplete: reply !== undefined }
  }

  async save(now: number): Promise<void> {
    // An account is saved after its saved counts have been loaded. Otherwise its own counts would be loaded as those of others.
    await Promise.allSettled([...this.#unsaved.values()].map(({ loading }) => loading))
    const saving = [...this.#unsaved].filter(([, { loading }]) => !loading)
    for (const [accountId] of saving) this.#unsaved.delete(accountId)
    try {
      await this.#store.saveCounts(
        saving.map(([accountId, tally]) => ({ accountId, counts: this.#countsOf(tally, now) })),
      )
    } catch (error) {
      for (const [accountId, tally] of saving) this.#unsaved.set(accountId, tally)
      throw error
    }
    this.#forgetOver(now)
  }

  /** Stores the ban that the call has claimed. A ban that cannot be stored does not apply. */
  async #ban(caller: Caller, source: string, tally: Tally, refused: Decision): Promise<Decision> {
    const { windows, decidedAt } = refused
    const ban = await this.#newBans.store(caller, source, refused)
    const stored = ban ? [Number(ban.id), ban.endsAt, ban.ordinal] : []
    const id = `${caller.keyId} ${source}`
    const settled = this.#counter.nodes.connection.run('settleBan', tally.key, id, decidedAt, ...stored)
    // If that fails, the claim expires.
    await withTimeout(settled).catch(() => {})
    return ban ? bannedDecision(windows, ban.endsAt, decidedAt) : refused
  }

  #createTally({ accountId, limits }: CountedAccount): Tally {
    return newTally(this.#keyOf(accountId), limits, () => this.#store.findCounts(accountId))
  }

  #keyArgs(caller: Caller, source: string, at: number): KeyArgs {
    const ban = banOfSource(caller.bans, source)
    return {
      id: `${caller.keyId} ${source}`,
      // A lifted ban is over, whatever the clock of the instance that lifted it.
      ban: ban ? [Number(ban.id), ban.startedAt, ban.liftedAt === undefined ? ban.endsAt : 0] : NO_KEY.ban,
      after: this.#newBans.isFull(caller, at) ? 0 : banAfter(this.#policy, caller.limits),
      withinMs: this.#policy.withinSeconds * 1_000,
    }
  }

  #countsOf(tally: Tally, now: number): Counts {
    return tally.ledger.counts(this.#counter.clockOf(tally, now))
  }

  #forgetOver(now: number): void {
    if (Math.abs(now - this.#forgotAt) < FORGET_EVERY_MS) return
    this.#forgotAt = now
    for (const [accountId, tally] of this.#tallies) {
      const { minute, day } = this.#countsOf(tally, now)
      if (!minute && !day && !this.#unsaved.has(accountId)) this.#tallies.delete(accountId)
    }
  }
}
