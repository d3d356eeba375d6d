import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../domain/account.ts'
import { type Ban, type BanPolicy, type BanTerm, nextBan } from '../domain/ban.ts'
import {
  bannedDecision,
  type Count,
  type Counts,
  type Decision,
  higher,
  type RateLimiter,
  tightest,
  windowsOf,
} from '../domain/rate-limiter.ts'
import type { AccountCounts, Store } from '../domain/store.ts'
import type { Connection } from './connection.ts'
import { answerInTime } from './patience.ts'
import type { Reply } from './reply.ts'
import { newTally, type Question, type SharedCounter, type Tally } from './shared-counter.ts'

export interface RedisRateLimiterOptions {
  counter: SharedCounter
  connection: Connection
  /** The key in Redis that holds an account. */
  keyOf(accountId: bigint): string
  store: Store
  policy: BanPolicy
  /** Whether windows and bans go by the caller's clock, not by that of Redis. */
  ownClock: boolean
  /** Is told why a ban could not be stored. */
  failed(error: unknown): void
}

/** By more than that, this process is not wrong about the clock of Redis. */
const CLOCK_MS = 200
/** How often it is looked whether a ban has been stored that another instance is storing. */
const CLAIM_POLL_MS = 10
const FORGET_EVERY_MS = 60_000
/** By then every caller has long brought along what the store knows. */
const BAN_KNOWN_AFTER_MS = 60_000

/**
 * Counts in Redis, together with the other instances; saves in the store. Ban, quota and strike are one step in Redis: see
 * consume.lua. A ban is stored by the instance that received the call which earned it: the call claims it in Redis, and other
 * calls of the key wait until it is stored or known to be none.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #options: RedisRateLimiterOptions
  readonly #tallies = new Map<bigint, Tally>()
  readonly #unsaved = new Set<bigint>()
  /** Bans that not every caller brings along yet, by key. */
  readonly #bans = new Map<bigint, Ban>()
  /** What calls wait for whose key has earned a ban that is not stored yet. */
  readonly #claims = new Map<bigint, Promise<unknown>>()
  /** When the last call came, by the clock that the windows go by. */
  #lastCallAt = 0
  #forgotAt = 0

  constructor(options: RedisRateLimiterOptions) {
    this.#options = options
  }

  consume(caller: Caller, now: number): Promise<Decision> {
    return this.#consume(caller, now, 'ask')
  }

  async save(): Promise<void> {
    // What is being recalled would come back with what is saved meanwhile, as if others had counted that: it is saved afterwards.
    const isRecalling = (accountId: bigint) => this.#tallies.get(accountId)?.recalling
    const recalling = [...this.#unsaved].filter(isRecalling)
    await this.#save([...this.#unsaved].filter(accountId => !isRecalling(accountId)))
    if (recalling.length > 0) {
      await Promise.allSettled(recalling.map(isRecalling))
      await this.#save(recalling)
    }
    if (Math.abs(this.#lastCallAt - this.#forgotAt) < FORGET_EVERY_MS) return
    this.#forgotAt = this.#lastCallAt
    this.#forgetOver()
  }

  async #save(accountIds: readonly bigint[]): Promise<void> {
    const accounts = accountIds.map(accountId => this.#countsOf(accountId))
    for (const accountId of accountIds) this.#unsaved.delete(accountId)
    try {
      await this.#options.store.saveCounts(accounts)
    } catch (error) {
      for (const accountId of accountIds) this.#unsaved.add(accountId)
      throw error
    }
  }

  /** @param task "ask", or "again" for a call that has waited for a ban */
  async #consume(caller: Caller, now: number, task: 'ask' | 'again'): Promise<Decision> {
    const { counter } = this.#options
    const tally = this.#find(caller)
    const ban = this.#newestBan(caller)
    const endsAt = ban ? this.#endOf(ban) : 0
    const at = counter.clockOf(tally, now)
    this.#lastCallAt = at
    if (at + CLOCK_MS < endsAt) return bannedDecision(decide('banned', tally.known, caller, at), endsAt)

    const about = this.#aboutKey(caller, ban)
    const { reply, alone } = await counter.count(tally, { task, about }, now)
    if ((reply ?? alone).outcome === 'admitted') this.#unsaved.add(caller.accountId)
    if (alone) return alone.decidedAt < endsAt ? bannedDecision(alone, endsAt) : alone
    switch (reply.outcome) {
      case 'admitted':
        return decide('admitted', reply.counts, caller, reply.decidedAt)
      case 'banned': {
        const known = reply.ban && reply.ban.id !== ban?.id ? this.#learn(reply.ban, caller) : undefined
        return bannedDecision(decide('banned', reply.counts, caller, reply.decidedAt), known?.endsAt ?? endsAt)
      }
      case 'pending':
        await this.#untilStored(caller, tally, about, now)
        return this.#consume(caller, now, 'again')
      case 'claimed':
        return this.#ban(caller, tally, reply, reply.ban ? this.#learn(reply.ban, caller) : ban)
      default:
        return decide('refused', reply.counts, caller, reply.decidedAt)
    }
  }

  /** The call has earned a ban, which is this instance's to store. A ban that cannot be stored is none. */
  async #ban(caller: Caller, tally: Tally, { counts, decidedAt }: Reply, last: Ban | undefined): Promise<Decision> {
    const term = nextBan(last, decidedAt, this.#options.policy)
    const storing = this.#storeBan(caller, tally, term)
    this.#claims.set(caller.keyId, storing)
    const ban = await storing
    this.#endClaim(caller, storing)
    const decision = decide('refused', counts, caller, decidedAt)
    return ban ? bannedDecision(decision, ban.endsAt) : decision
  }

  async #storeBan({ keyId }: Caller, tally: Tally, term: BanTerm): Promise<Ban | undefined> {
    const { store, failed } = this.#options
    const { startedAt, endsAt, ordinal } = term
    try {
      const ban = await store.createBan(keyId, term)
      this.#bans.set(keyId, ban)
      await this.#settle(tally, [String(keyId), startedAt, Number(ban.id), startedAt, endsAt, ordinal, startedAt])
      return ban
    } catch (error) {
      failed(error)
      await this.#settle(tally, [String(keyId), startedAt])
      return undefined
    }
  }

  /** Ends the claim in Redis. If it cannot be told, the claim lapses by itself. */
  async #settle({ key }: Tally, args: (string | number)[]): Promise<void> {
    const settling = this.#options.connection.run('settleBan', key, ...args)
    await answerInTime(settling).catch(() => {})
  }

  /** Waits until the ban that a call has earned is stored, or cannot be. */
  #untilStored(caller: Caller, tally: Tally, about: Question['about'], now: number): Promise<unknown> {
    const known = this.#claims.get(caller.keyId)
    if (known) return known
    const waiting = this.#pollClaim(tally, about, now).finally(() => this.#endClaim(caller, waiting))
    this.#claims.set(caller.keyId, waiting)
    return waiting
  }

  #endClaim({ keyId }: Caller, waitedFor: Promise<unknown>): void {
    if (this.#claims.get(keyId) === waitedFor) this.#claims.delete(keyId)
  }

  async #pollClaim(tally: Tally, about: Question['about'], now: number): Promise<void> {
    while ((await this.#options.counter.peek(tally, about, now))?.outcome === 'pending') await sleep(CLAIM_POLL_MS)
  }

  #find({ accountId, limits }: Caller): Tally {
    let tally = this.#tallies.get(accountId)
    if (!tally) {
      const { keyOf, store } = this.#options
      tally = newTally(keyOf(accountId), limits, () => store.findCounts(accountId))
      this.#tallies.set(accountId, tally)
    }
    tally.limits = limits
    return tally
  }

  #learn(ban: NonNullable<Reply['ban']>, { keyId }: Caller): Ban {
    const learned = { ...ban, keyId, liftedAt: undefined }
    this.#bans.set(keyId, learned)
    return learned
  }

  /** What the caller brings along comes from the store: if it is not older, it holds, lifted or not. */
  #newestBan({ keyId, lastBan }: Caller): Ban | undefined {
    const learned = this.#bans.get(keyId)
    if (!learned || (lastBan && lastBan.id >= learned.id)) return lastBan
    return learned
  }

  /** A ban is lifted by the clock of who lifts it. Where bans go by another one, a lifted ban is over whatever that says. */
  #endOf({ endsAt, liftedAt }: Ban): number {
    if (liftedAt === undefined) return endsAt
    return this.#options.ownClock ? liftedAt : 0
  }

  #aboutKey({ keyId }: Caller, ban: Ban | undefined): Question['about'] {
    const { after, withinSeconds } = this.#options.policy
    const known = ban ? [Number(ban.id), ban.startedAt, this.#endOf(ban)] : [0, 0, 0]
    return [String(keyId), ...known, after, withinSeconds * 1_000]
  }

  #countsOf(accountId: bigint): AccountCounts {
    const tally = this.#tallies.get(accountId)
    if (!tally) return { accountId, counts: {} }
    const { minute, day } = higher(tally.known, tally.share, this.#lastCallAt)
    return { accountId, counts: { ...(minute && { minute: plain(minute) }), ...(day && { day: plain(day) }) } }
  }

  #forgetOver(): void {
    for (const [accountId, tally] of this.#tallies) {
      const { minute, day } = higher(tally.known, tally.share, this.#lastCallAt)
      if (minute || day || this.#unsaved.has(accountId)) continue
      this.#tallies.delete(accountId)
      this.#options.counter.forget(tally)
    }
    for (const [keyId, ban] of this.#bans) {
      if (ban.endsAt + BAN_KNOWN_AFTER_MS < this.#lastCallAt) this.#bans.delete(keyId)
    }
  }
}

function decide(outcome: Decision['outcome'], counts: Counts, { limits }: Caller, decidedAt: number): Decision {
  const windows = windowsOf(counts, limits, decidedAt)
  return { outcome, windows, shown: tightest(windows), decidedAt }
}

function plain({ used, resetsAt }: Count): Count {
  return { used, resetsAt }
}
