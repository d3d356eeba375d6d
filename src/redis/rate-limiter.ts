import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../domain/account.ts'
import { type Ban, type BanPolicy, banAfter, banOfSource, isInForce, MAX_BANS, nextBan } from '../domain/ban.ts'
import {
  bannedDecision,
  type CountedAccount,
  type Counts,
  type CountsReading,
  type Decision,
  decide,
  maxCounts,
  type RateLimiter,
  type Source,
  windowsOf,
} from '../domain/rate-limiter.ts'
import type { AccountStore } from '../domain/store/accounts.ts'
import { type KeyArgs, NO_KEY, newTally, type Tally } from './consume.ts'
import type { SharedCounter } from './shared-counter.ts'
import { withTimeout } from './timeouts.ts'

/** How often to check whether another call has stored a ban. */
const CLAIM_POLL_MS = 10
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
  readonly #options: AccountLimiterOptions
  readonly #tallies = new Map<bigint, Tally>()
  readonly #unsaved = new Map<bigint, Tally>()
  /** The keys whose bans are being stored, once for each ban. */
  readonly #storing: bigint[] = []
  #forgotAt = 0

  /** @param keyOf the key in Redis that holds an account */
  constructor(counter: SharedCounter, keyOf: (accountId: bigint) => string, options: AccountLimiterOptions) {
    this.#counter = counter
    this.#keyOf = keyOf
    this.#options = options
  }

  async consume(caller: Caller, sourceOf: Source, now: number): Promise<Decision> {
    const tally = this.#tallies.getOrInsertComputed(caller.accountId, () => this.#createTally(caller))
    tally.limits = caller.limits
    const source = sourceOf()
    const ban = banOfSource(caller.bans, source)
    const decision = await this.#decide(caller, source, ban, tally, now)
    if (decision.outcome === 'admitted') this.#unsaved.set(caller.accountId, tally)
    return decision
  }

  /** The store has the counts of an account that Redis has lost, and of one that others count alone during an outage. */
  async read(account: CountedAccount, now: number): Promise<CountsReading> {
    const tally = this.#tallies.get(account.accountId) ?? this.#createTally(account)
    const [reply, saved] = await Promise.all([
      this.#counter.ask(tally, 'peek', NO_KEY, now),
      this.#options.store.findCounts(account.accountId),
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
      await this.#options.store.saveCounts(
        saving.map(([accountId, tally]) => ({ accountId, counts: this.#countsOf(tally, now) })),
      )
    } catch (error) {
      for (const [accountId, tally] of saving) this.#unsaved.set(accountId, tally)
      throw error
    }
    this.#forgetOver(now)
  }

  async #decide(caller: Caller, source: string, ban: Ban | undefined, tally: Tally, now: number): Promise<Decision> {
    const key = this.#keyArgs(caller, source, ban, this.#counter.clockOf(tally, now))
    let reply = await this.#counter.ask(tally, 'ask', key, now)
    if (reply?.outcome === 'pending') {
      while ((await this.#counter.ask(tally, 'peek', key, now))?.outcome === 'pending') await sleep(CLAIM_POLL_MS)
      reply = await this.#counter.ask(tally, 'again', key, now)
    }
    if (!reply) return this.#decideAlone(ban, tally, now)
    const { outcome, decidedAt } = reply
    const windows = windowsOf(reply.counts, caller.limits, decidedAt)
    switch (outcome) {
      case 'admitted':
        return decide('admitted', windows, decidedAt)
      case 'banned':
        return bannedDecision(windows, reply.bannedUntil, decidedAt)
      case 'claimed':
        return this.#ban(caller, source, tally, decide('refused', windows, decidedAt))
      default:
        return decide('refused', windows, decidedAt)
    }
  }

  /** Existing bans apply, but no new ones begin: strikes cannot be distinguished from calls that others have refused. */
  async #decideAlone(ban: Ban | undefined, tally: Tally, now: number): Promise<Decision> {
    const at = this.#counter.clockOf(tally, now)
    if (!ban || !isInForce(ban, at)) return this.#counter.decideAlone(tally, now)
    return bannedDecision(this.#counter.knownWindows(tally, now), ban.endsAt, at)
  }

  /** Stores the ban that the call has triggered. A ban that cannot be stored does not apply. */
  async #ban(caller: Caller, source: string, tally: Tally, refused: Decision): Promise<Decision> {
    const { keyId } = caller
    const { store, watch, ban: policy } = this.#options
    const { shown, windows, decidedAt } = refused
    const isFull = this.#countBans(caller, decidedAt) >= MAX_BANS
    this.#storing.push(keyId)
    let ban: Ban | undefined
    try {
      const last = isFull ? undefined : await store.findLastBan(keyId, source)
      if (!isFull) ban = await store.createBan(keyId, nextBan(last, source, shown, decidedAt, policy))
    } catch (error) {
      watch.failed(error)
    }
    this.#storing.splice(this.#storing.indexOf(keyId), 1)
    const stored = ban ? [Number(ban.id), decidedAt, ban.endsAt, ban.ordinal, decidedAt] : []
    const settle = this.#counter.nodes.connection.run(
      'settleBan',
      tally.key,
      `${keyId} ${source}`,
      decidedAt,
      ...stored,
    )
    // If that fails, the claim expires.
    await withTimeout(settle).catch(() => {})
    return ban ? bannedDecision(windows, ban.endsAt, decidedAt) : refused
  }

  #createTally({ accountId, limits }: CountedAccount): Tally {
    return newTally(this.#keyOf(accountId), limits, () => this.#options.store.findCounts(accountId))
  }

  #countBans({ keyId, bans }: Caller, at: number): number {
    return bans.filter(ban => isInForce(ban, at)).length + this.#storing.filter(id => id === keyId).length
  }

  #keyArgs(caller: Caller, source: string, ban: Ban | undefined, at: number): KeyArgs {
    const { ban: policy } = this.#options
    // A lifted ban is over, whatever the clock of the instance that lifted it.
    const known = ban && ([Number(ban.id), ban.startedAt, ban.liftedAt === undefined ? ban.endsAt : 0] as const)
    const after = this.#countBans(caller, at) < MAX_BANS ? banAfter(policy, caller.limits) : 0
    return { id: `${caller.keyId} ${source}`, ban: known, after, withinMs: policy.withinSeconds * 1_000 }
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
