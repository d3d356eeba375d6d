import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../domain/account.ts'
import { type Ban, banAfter, banOfSource, isInForce, MAX_BANS, nextBan } from '../domain/ban.ts'
import type { Limits } from '../domain/plan.ts'
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
  tightest,
  windowsOf,
} from '../domain/rate-limiter.ts'
import { type KeyArgs, NO_KEY, type Reply } from './consume.ts'
import type { RedisLimiterOptions } from './options.ts'
import { MAX_CLOCK_ERROR_MS } from './server-clock.ts'
import { type SharedCounter, Tally } from './shared-counter.ts'

/** How often to check whether another instance has stored a ban. */
const CLAIM_POLL_MS = 10
const FORGET_EVERY_MS = 60_000
/** How old the counts may be that a banned call shows. */
const REFRESH_BANNED_MS = 1_000
/** After this time, every caller has the ban that is in the store. */
const KEEP_BAN_MS = 60_000

type LimiterOptions = Pick<RedisLimiterOptions, 'store' | 'ban' | 'ownClock' | 'watch'>

/**
 * Counts in Redis, together with the other instances, and saves to the store. Ban, quota and strike are one step in Redis (consume.lua).
 * The call that triggers a ban claims it in Redis, and its instance stores the ban. Other calls with the key from the source wait until the
 * ban is stored, or storing it has failed.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #counter: SharedCounter
  readonly #keyOf: (accountId: bigint) => string
  readonly #options: LimiterOptions
  readonly #tallies = new Map<bigint, Tally>()
  readonly #unsaved = new Set<bigint>()
  /** Bans that not every caller has yet, by key and source. */
  readonly #bans = new Map<string, Ban>()
  /** The claimed bans that calls are waiting for, by key and source. */
  readonly #claims = new Map<string, Promise<unknown>>()
  /** The keys whose bans are being stored, once for each ban. */
  readonly #storing: bigint[] = []
  /** On the clock that times the windows. */
  #lastCallAt = 0
  #forgotAt = 0

  /** @param keyOf the key in Redis that holds an account */
  constructor(counter: SharedCounter, keyOf: (accountId: bigint) => string, options: LimiterOptions) {
    this.#counter = counter
    this.#keyOf = keyOf
    this.#options = options
  }

  consume(caller: Caller, source: Source, now: number): Promise<Decision> {
    return this.#consume({ ...caller, source: source() }, now, 'ask')
  }

  /** The store has the counts of an account that Redis has lost, and of one that others count alone during an outage. */
  async read({ accountId, limits }: CountedAccount, now: number): Promise<CountsReading> {
    const tally = this.#tallies.get(accountId) ?? this.#createTally(accountId, limits)
    const [reading, saved] = await Promise.all([
      this.#counter.read(tally, now),
      this.#options.store.findCounts(accountId),
    ])
    return { ...reading, counts: maxCounts(reading.counts, saved, reading.readAt) }
  }

  async save(): Promise<void> {
    // An account whose saved counts are being loaded is saved later. Otherwise its own counts would be loaded as those of others.
    const isLoading = (accountId: bigint) => this.#tallies.get(accountId)?.loading
    const loading = [...this.#unsaved].filter(isLoading)
    await this.#save([...this.#unsaved].filter(accountId => !isLoading(accountId)))
    if (loading.length > 0) {
      await Promise.allSettled(loading.map(isLoading))
      await this.#save(loading)
    }
    if (Math.abs(this.#lastCallAt - this.#forgotAt) < FORGET_EVERY_MS) return
    this.#forgotAt = this.#lastCallAt
    this.#forgetOver()
  }

  async #save(accountIds: readonly bigint[]): Promise<void> {
    const accounts = accountIds.map(accountId => ({ accountId, counts: this.#countsOf(this.#tallies.get(accountId)) }))
    for (const accountId of accountIds) this.#unsaved.delete(accountId)
    try {
      await this.#options.store.saveCounts(accounts)
    } catch (error) {
      for (const accountId of accountIds) this.#unsaved.add(accountId)
      throw error
    }
  }

  /** @param task "again" for a call that has waited for a ban */
  async #consume(caller: SourcedCaller, now: number, task: 'ask' | 'again'): Promise<Decision> {
    const tally = this.#find(caller)
    const ban = this.#newestBan(caller)
    const endsAt = ban ? endOf(ban) : 0
    const at = this.#counter.clockOf(tally, now)
    this.#lastCallAt = at
    if (at + MAX_CLOCK_ERROR_MS < endsAt) return this.#refuseBanned(caller, tally, endsAt, now)

    const key = this.#keyArgs(caller, ban, at)
    const { reply, alone } = await this.#counter.count(tally, task, key, now)
    if ((reply ?? alone).outcome === 'admitted') this.#unsaved.add(caller.accountId)
    if (alone) return alone.decidedAt < endsAt ? bannedDecision(alone.windows, endsAt, alone.decidedAt) : alone
    const { outcome, counts, decidedAt } = reply
    const windows = windowsOf(counts, caller.limits, decidedAt)
    switch (outcome) {
      case 'admitted':
        return decide('admitted', windows, decidedAt)
      case 'banned': {
        const learned = reply.ban && reply.ban.id !== ban?.id ? this.#learn(reply.ban, caller) : undefined
        return bannedDecision(windows, learned?.endsAt ?? endsAt, decidedAt)
      }
      case 'pending':
        await this.#claimed(caller, tally, key, now)
        return this.#consume(caller, now, 'again')
      case 'claimed':
        return this.#ban(caller, tally, decide('refused', windows, decidedAt))
      default:
        return decide('refused', windows, decidedAt)
    }
  }

  /** Without a query, unless others may have exhausted a window since the last one. */
  async #refuseBanned(caller: Caller, tally: Tally, endsAt: number, now: number): Promise<Decision> {
    if (Math.abs(this.#counter.clockOf(tally, now) - tally.knownAt) > REFRESH_BANNED_MS) {
      await this.#counter.peek(tally, NO_KEY, now)
    }
    const at = this.#counter.clockOf(tally, now)
    return bannedDecision(windowsOf(this.#countsOf(tally), caller.limits, at), endsAt, at)
  }

  /** Stores the ban that the call has triggered. A ban that cannot be stored does not apply. */
  async #ban(caller: SourcedCaller, tally: Tally, refused: Decision): Promise<Decision> {
    const storing = this.#storeBan(caller, tally, refused)
    this.#claims.set(idOf(caller), storing)
    const ban = await storing
    this.#endClaim(caller, storing)
    return ban ? bannedDecision(refused.windows, ban.endsAt, refused.decidedAt) : refused
  }

  async #storeBan(caller: SourcedCaller, tally: Tally, { windows, decidedAt }: Decision): Promise<Ban | undefined> {
    const { keyId, source } = caller
    const { store, watch, ban: policy } = this.#options
    const id = idOf(caller)
    const isFull = this.#countBans(caller, decidedAt) >= MAX_BANS
    this.#storing.push(keyId)
    try {
      const last = isFull ? undefined : await store.findLastBan(keyId, source)
      const ban = isFull
        ? undefined
        : await store.createBan(keyId, nextBan(last, source, tightest(windows), decidedAt, policy))
      if (ban) this.#bans.set(id, ban)
      const settled = ban ? [Number(ban.id), decidedAt, ban.endsAt, ban.ordinal, decidedAt] : []
      await this.#counter.settleBan(tally, id, decidedAt, ...settled)
      return ban
    } catch (error) {
      watch.failed(error)
      await this.#counter.settleBan(tally, id, decidedAt)
      return undefined
    } finally {
      this.#storing.splice(this.#storing.indexOf(keyId), 1)
    }
  }

  /** Waits until a claimed ban is stored, or storing it has failed. */
  #claimed(caller: SourcedCaller, tally: Tally, key: KeyArgs, now: number): Promise<unknown> {
    const known = this.#claims.get(idOf(caller))
    if (known) return known
    const waiting = this.#pollClaim(tally, key, now).finally(() => this.#endClaim(caller, waiting))
    this.#claims.set(idOf(caller), waiting)
    return waiting
  }

  #endClaim(caller: SourcedCaller, waitedFor: Promise<unknown>): void {
    const id = idOf(caller)
    if (this.#claims.get(id) === waitedFor) this.#claims.delete(id)
  }

  async #pollClaim(tally: Tally, key: KeyArgs, now: number): Promise<void> {
    while ((await this.#counter.peek(tally, key, now))?.outcome === 'pending') await sleep(CLAIM_POLL_MS)
  }

  #find({ accountId, limits }: Caller): Tally {
    const tally = this.#tallies.getOrInsertComputed(accountId, () => this.#createTally(accountId, limits))
    tally.limits = limits
    return tally
  }

  #createTally(accountId: bigint, limits: Limits): Tally {
    return new Tally(this.#keyOf(accountId), limits, () => this.#options.store.findCounts(accountId))
  }

  /** @param ban applies to the source; what else it says of where it was earned is in the store */
  #learn(ban: NonNullable<Reply['ban']>, caller: SourcedCaller): Ban {
    const { keyId, source } = caller
    const learned = { ...ban, keyId, source, earnedIn: undefined, liftedAt: undefined }
    this.#bans.set(idOf(caller), learned)
    return learned
  }

  /** The caller's ban comes from the store. If it is not older than the ban known here, it takes precedence, lifted or not. */
  #newestBan(caller: SourcedCaller): Ban | undefined {
    const stored = banOfSource(caller.bans, caller.source)
    const learned = this.#bans.get(idOf(caller))
    return !learned || (stored && stored.id >= learned.id) ? stored : learned
  }

  #countBans({ keyId, bans }: Caller, at: number): number {
    return bans.filter(ban => isInForce(ban, at)).length + this.#storing.filter(id => id === keyId).length
  }

  #keyArgs(caller: SourcedCaller, ban: Ban | undefined, at: number): KeyArgs {
    const { ban: policy } = this.#options
    const known = ban && ([Number(ban.id), ban.startedAt, endOf(ban)] as const)
    const after = this.#countBans(caller, at) < MAX_BANS ? banAfter(policy, caller.limits) : 0
    return { id: idOf(caller), ban: known, after, withinMs: policy.withinSeconds * 1_000 }
  }

  #countsOf(tally: Tally | undefined): Counts {
    return tally ? tally.ledger.counts(this.#lastCallAt) : {}
  }

  #forgetOver(): void {
    for (const [accountId, tally] of this.#tallies) {
      const { minute, day } = this.#countsOf(tally)
      if (minute || day || this.#unsaved.has(accountId)) continue
      this.#tallies.delete(accountId)
      this.#counter.forget(tally)
    }
    for (const [id, ban] of this.#bans) {
      if (ban.endsAt + KEEP_BAN_MS < this.#lastCallAt) this.#bans.delete(id)
    }
  }
}

interface SourcedCaller extends Caller {
  source: string
}

/** What Redis calls the key together with the source (consume.lua). */
function idOf({ keyId, source }: SourcedCaller): string {
  return `${keyId} ${source}`
}

/** A lifted ban is over, whatever the clock of the instance that lifted it. */
function endOf({ endsAt, liftedAt }: Ban): number {
  return liftedAt === undefined ? endsAt : 0
}
