import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../domain/account.ts'
import { type Ban, type BanTerm, nextBan } from '../domain/ban.ts'
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
  windowsOf,
} from '../domain/rate-limiter.ts'
import type { KeyArgs, Reply } from './consume.ts'
import type { RedisLimiterOptions } from './options.ts'
import { MAX_CLOCK_ERROR_MS } from './server-clock.ts'
import type { SharedCounter } from './shared-counter.ts'
import { Tally } from './tally.ts'

/** How often to check whether another instance has stored a ban. */
const CLAIM_POLL_MS = 10
const FORGET_EVERY_MS = 60_000
/** After this time, every caller has the ban that is in the store. */
const KEEP_BAN_MS = 60_000

type LimiterOptions = Pick<RedisLimiterOptions, 'store' | 'ban' | 'ownClock' | 'watch'>

/**
 * Counts in Redis, together with the other instances, and saves to the store. Ban, quota and strike are one step in Redis (consume.lua).
 * The call that triggers a ban claims it in Redis, and its instance stores the ban. Other calls of the key wait until the ban is stored, or
 * storing it has failed.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #counter: SharedCounter
  readonly #keyOf: (accountId: bigint) => string
  readonly #options: LimiterOptions
  readonly #tallies = new Map<bigint, Tally>()
  readonly #unsaved = new Set<bigint>()
  /** Bans that not every caller has yet, by key. */
  readonly #bans = new Map<bigint, Ban>()
  /** The claimed bans that calls are waiting for, by key. */
  readonly #claims = new Map<bigint, Promise<unknown>>()
  /** On the clock that times the windows. */
  #lastCallAt = 0
  #forgotAt = 0

  /** @param keyOf the key in Redis that holds an account */
  constructor(counter: SharedCounter, keyOf: (accountId: bigint) => string, options: LimiterOptions) {
    this.#counter = counter
    this.#keyOf = keyOf
    this.#options = options
  }

  consume(caller: Caller, now: number): Promise<Decision> {
    return this.#consume(caller, now, 'ask')
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
  async #consume(caller: Caller, now: number, task: 'ask' | 'again'): Promise<Decision> {
    const tally = this.#find(caller)
    const ban = this.#newestBan(caller)
    const endsAt = ban ? this.#endOf(ban) : 0
    const at = this.#counter.clockOf(tally, now)
    this.#lastCallAt = at
    if (at + MAX_CLOCK_ERROR_MS < endsAt) return bannedDecision(decideCall('banned', tally.known, caller, at), endsAt)

    const key = this.#keyArgs(caller, ban)
    const { reply, alone } = await this.#counter.count(tally, task, key, now)
    if ((reply ?? alone).outcome === 'admitted') this.#unsaved.add(caller.accountId)
    if (alone) return alone.decidedAt < endsAt ? bannedDecision(alone, endsAt) : alone
    const { outcome, counts, decidedAt } = reply
    switch (outcome) {
      case 'admitted':
        return decideCall('admitted', counts, caller, decidedAt)
      case 'banned': {
        const learned = reply.ban && reply.ban.id !== ban?.id ? this.#learn(reply.ban, caller) : undefined
        return bannedDecision(decideCall('banned', counts, caller, decidedAt), learned?.endsAt ?? endsAt)
      }
      case 'pending':
        await this.#claimed(caller, tally, key, now)
        return this.#consume(caller, now, 'again')
      case 'claimed':
        return this.#ban(caller, tally, reply, reply.ban ? this.#learn(reply.ban, caller) : ban)
      default:
        return decideCall('refused', counts, caller, decidedAt)
    }
  }

  /** Stores the ban that the call has triggered. A ban that cannot be stored does not apply. */
  async #ban(caller: Caller, tally: Tally, { counts, decidedAt }: Reply, last: Ban | undefined): Promise<Decision> {
    const storing = this.#storeBan(caller, tally, nextBan(last, decidedAt, this.#options.ban))
    this.#claims.set(caller.keyId, storing)
    const ban = await storing
    this.#endClaim(caller, storing)
    const decision = decideCall('refused', counts, caller, decidedAt)
    return ban ? bannedDecision(decision, ban.endsAt) : decision
  }

  async #storeBan({ keyId }: Caller, tally: Tally, term: BanTerm): Promise<Ban | undefined> {
    const { store, watch } = this.#options
    const { startedAt, endsAt, ordinal } = term
    try {
      const ban = await store.createBan(keyId, term)
      this.#bans.set(keyId, ban)
      await this.#counter.settleBan(
        tally,
        ...[String(keyId), startedAt, Number(ban.id), startedAt, endsAt, ordinal, startedAt],
      )
      return ban
    } catch (error) {
      watch.failed(error)
      await this.#counter.settleBan(tally, String(keyId), startedAt)
      return undefined
    }
  }

  /** Waits until a claimed ban is stored, or storing it has failed. */
  #claimed(caller: Caller, tally: Tally, key: KeyArgs, now: number): Promise<unknown> {
    const known = this.#claims.get(caller.keyId)
    if (known) return known
    const waiting = this.#pollClaim(tally, key, now).finally(() => this.#endClaim(caller, waiting))
    this.#claims.set(caller.keyId, waiting)
    return waiting
  }

  #endClaim({ keyId }: Caller, waitedFor: Promise<unknown>): void {
    if (this.#claims.get(keyId) === waitedFor) this.#claims.delete(keyId)
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

  #learn(ban: NonNullable<Reply['ban']>, { keyId }: Caller): Ban {
    const learned = { ...ban, keyId, liftedAt: undefined }
    this.#bans.set(keyId, learned)
    return learned
  }

  /** The caller's ban comes from the store. If it is not older than the ban known here, it takes precedence, lifted or not. */
  #newestBan({ keyId, lastBan }: Caller): Ban | undefined {
    const learned = this.#bans.get(keyId)
    return !learned || (lastBan && lastBan.id >= learned.id) ? lastBan : learned
  }

  /** `liftedAt` is on the clock of the instance that lifted the ban. If bans follow the clock of Redis, a lifted ban counts as over. */
  #endOf({ endsAt, liftedAt }: Ban): number {
    if (liftedAt === undefined) return endsAt
    return this.#options.ownClock ? liftedAt : 0
  }

  #keyArgs({ keyId }: Caller, ban: Ban | undefined): KeyArgs {
    const { after, withinSeconds } = this.#options.ban
    const known = ban && ([Number(ban.id), ban.startedAt, this.#endOf(ban)] as const)
    return { id: String(keyId), ban: known, after, withinMs: withinSeconds * 1_000 }
  }

  #countsOf(tally: Tally | undefined): Counts {
    return tally ? maxCounts(tally.known, tally.share, this.#lastCallAt) : {}
  }

  #forgetOver(): void {
    for (const [accountId, tally] of this.#tallies) {
      const { minute, day } = this.#countsOf(tally)
      if (minute || day || this.#unsaved.has(accountId)) continue
      this.#tallies.delete(accountId)
      this.#counter.forget(tally)
    }
    for (const [keyId, ban] of this.#bans) {
      if (ban.endsAt + KEEP_BAN_MS < this.#lastCallAt) this.#bans.delete(keyId)
    }
  }
}

function decideCall(outcome: Decision['outcome'], counts: Counts, { limits }: Caller, decidedAt: number): Decision {
  return decide(outcome, windowsOf(counts, limits, decidedAt), decidedAt)
}
