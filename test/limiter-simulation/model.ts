import { type Handover, OutageLedger } from '../../src/domain/outage-ledger.ts'
import { type Limits, limitsOf, type Plan } from '../../src/domain/plan.ts'
import { type Count, type Counts, current, maxCounts, spend } from '../../src/domain/rate-limiter.ts'
import { DAY_MS, MINUTE_MS } from '../../src/domain/time.ts'
import { seededRandom, zipf } from '../support/random.ts'

export interface Size {
  instances: number
  accounts: number
  callsPerSecond: number
}

/** An account, and its counts in each place. */
export interface Account {
  id: number
  plan: Plan
  limits: Limits
  /** Behind a load balancer, a connection stays with one instance. An account with few connections uses the shares of few instances. */
  connections: number
  /** The counts in Redis, if it has any. */
  shared: Counts | undefined
  /** The counts in the store. */
  saved: Counts
  /** The counts of a single counter that never fails. */
  exact: Counts
  /** Calls admitted today, and those not saved yet. */
  today: number
  unsaved: number
  /** Calls admitted by instances that have since left. They are never reported to Redis. */
  unreported: number
  tally: Tally
}

/** The calls that one place admitted in the window that ends at `windowEndsAt`, and in the fullest window. */
interface WindowTally {
  windowEndsAt: number
  inWindow: number
  inFullestWindow: number
}

/** The calls of one account in one stage of the simulation; in windows, those that Redis admitted. */
export interface Tally extends WindowTally {
  calls: number
  admitted: number
  exact: number
  /** In the fullest window of one instance that decided alone. */
  inFullestShare: number
}

interface Instance {
  /** From when on Redis decides its calls. Until then, it decides them alone. */
  usesRedisFrom: number
  ledgers: Map<Account, OutageLedger>
  /** The accounts whose ledger has calls that it has not handed over. */
  pending: Set<Account>
}

export const CONNECTIONS = [1, 8, Number.POSITIVE_INFINITY]
/** Every fiftieth account has the enterprise plan, including the most popular one; most others are free. */
const OTHER_PLANS: readonly Plan[] = ['free', 'free', 'free', 'free', 'free', 'free', 'free', 'pro', 'pro', 'business']
const ENTERPRISE = { perMinute: 300_000, perDay: 100_000_000 }
const NO_WINDOW: WindowTally = { windowEndsAt: 0, inWindow: 0, inFullestWindow: 0 }
const EMPTY_TALLY: Tally = { calls: 0, admitted: 0, exact: 0, inFullestShare: 0, ...NO_WINDOW }
/** As in the service: how often counts are saved, and how long an instance still decides alone after it has noticed that Redis is back. */
const SAVE_EVERY_MS = 500
export const SETTLE_MS = 2_000
/** How often an instance probes Redis. The instances probe at different moments. */
export const PROBE_MS = 100
const STARTS_AT = Date.UTC(2027, 2, 1, 12)

/**
 * Simulates instances that count together in one Redis, or alone without it. It uses virtual time and the service's own rules.
 * All random choices are the same in every run.
 */
export class LimiterModel {
  readonly accounts: Account[]
  now = STARTS_AT
  #instances: Instance[]
  readonly #callsPerSecond: number
  readonly #random = seededRandom(1)
  readonly #pick: () => number
  #hasRedis = true
  readonly #alone = new Map<OutageLedger, WindowTally>()

  constructor({ instances, accounts, callsPerSecond }: Size) {
    this.#callsPerSecond = callsPerSecond
    this.#pick = zipf(accounts, this.#random)
    this.#instances = Array.from({ length: instances }, () => this.#makeInstance())
    this.accounts = Array.from({ length: accounts }, (_, rank) => this.#makeAccount(rank))
  }

  get instances(): number {
    return this.#instances.length
  }

  /** Simulates calls for this long. */
  run(seconds: number): void {
    const startedAt = this.now
    const calls = Math.round(seconds * this.#callsPerSecond)
    for (let call = 0; call < calls; call++) {
      const now = startedAt + Math.floor((call * 1_000) / this.#callsPerSecond)
      if (Math.floor(now / SAVE_EVERY_MS) > Math.floor(this.now / SAVE_EVERY_MS)) this.#save()
      this.now = now
      this.#receive(this.accounts[this.#pick()] as Account)
    }
    this.now = startedAt + seconds * 1_000
  }

  /** Resets the tallies for a new stage, except for the window that has not ended. */
  beginStage(): void {
    for (const account of this.accounts) {
      const { windowEndsAt, inWindow } = account.tally
      account.tally = { ...EMPTY_TALLY, windowEndsAt, inWindow }
    }
  }

  loseRedis(): void {
    this.#hasRedis = false
    for (const instance of this.#instances) instance.usesRedisFrom = Number.POSITIVE_INFINITY
  }

  /** Makes Redis available again. Returns when every instance has noticed. */
  returnRedis(): void {
    this.#hasRedis = true
    const parts = 10
    for (let part = 1; part <= parts; part++) {
      this.run(PROBE_MS / 1_000 / parts)
      const noticing = this.#instances.slice(0, Math.ceil((this.instances * part) / parts))
      for (const instance of noticing) if (!Number.isFinite(instance.usesRedisFrom)) this.#useAgain(instance)
    }
  }

  flushRedis(): void {
    for (const account of this.accounts) account.shared = undefined
  }

  /** The oldest instances leave without handing over their calls. */
  leave(count: number): void {
    for (const { ledgers } of this.#instances.splice(0, count)) {
      for (const [account, ledger] of ledgers) account.unreported += ledger.send().day.alone
    }
  }

  join(count: number): void {
    this.#instances.push(...Array.from({ length: count }, () => this.#makeInstance()))
  }

  #receive(account: Account): void {
    const { limits, tally } = account
    tally.calls++
    const exact = spend(account.exact, limits, this.now)
    account.exact = exact.counts
    if (exact.admitted) tally.exact++
    const instance = this.#route(account)
    const usesRedis = this.now >= instance.usesRedisFrom
    const ledger = instance.ledgers.getOrInsertComputed(account, () => new OutageLedger())
    ledger.during(usesRedis ? undefined : 1)
    if (!(usesRedis ? this.#askRedis(ledger, account) : this.#countAlone(ledger, account))) return
    if (!ledger.isHandedOver) instance.pending.add(account)
    tally.admitted++
    account.today++
    account.unsaved++
  }

  #route({ id, connections }: Account): Instance {
    const count = this.#instances.length
    const connection = Math.floor(this.#random() * Math.min(connections, count))
    return this.#instances[connections < count ? (id * 7_919 + connection * 127) % count : connection] as Instance
  }

  #askRedis(ledger: OutageLedger, account: Account): boolean {
    const held = this.#add(account, ledger.send())
    const { admitted, counts } = spend(held, account.limits, this.now)
    account.shared = counts
    ledger.confirm(counts, this.now)
    if (admitted) countInWindow(account.tally, counts.minute?.resetsAt ?? 0)
    return admitted
  }

  #countAlone(ledger: OutageLedger, { saved, limits, tally }: Account): boolean {
    if (!ledger.isSharing && ledger.isHandedOver) ledger.learn(saved, this.now)
    if (ledger.admit(limits, this.instances, this.now).outcome !== 'admitted') return false
    const alone = this.#alone.getOrInsertComputed(ledger, () => ({ ...NO_WINDOW }))
    countInWindow(alone, ledger.counts(this.now).minute?.resetsAt ?? 0)
    tally.inFullestShare = Math.max(tally.inFullestShare, alone.inWindow)
    return true
  }

  #useAgain(instance: Instance): void {
    instance.usesRedisFrom = this.now + SETTLE_MS
    this.#handOver(instance)
  }

  /** Tells Redis of the calls that were admitted without it. */
  #handOver({ ledgers, pending }: Instance): void {
    for (const account of pending) {
      const ledger = ledgers.get(account)
      if (!ledger || ledger.isHandedOver) continue
      account.shared = this.#add(account, ledger.send())
      ledger.confirm(account.shared, this.now)
    }
    pending.clear()
  }

  #add({ shared, saved }: Account, asked: Handover): Counts {
    const held = shared ?? saved
    return {
      ...this.#sum('minute', MINUTE_MS, held.minute, asked.minute),
      ...this.#sum('day', DAY_MS, held.day, asked.day),
    }
  }

  /** Adds what an instance knows, and the calls that it has admitted alone, as consume.lua does. */
  #sum(name: keyof Counts, lengthMs: number, held: Count | undefined, asked: Handover['day']): Counts {
    const count = current(held, lengthMs, this.now)
    const known = current({ used: asked.known, resetsAt: asked.resetsAt }, lengthMs, this.now)
    const resetsAt = count?.resetsAt ?? known?.resetsAt
    if (resetsAt === undefined) return {}
    const knownUsed = known?.resetsAt === resetsAt ? known.used : 0
    return { [name]: { used: Math.max(count?.used ?? 0, knownUsed) + (known ? asked.alone : 0), resetsAt } }
  }

  #save(): void {
    for (const instance of this.#instances) if (Number.isFinite(instance.usesRedisFrom)) this.#handOver(instance)
    for (const account of this.accounts) {
      if (account.shared) account.saved = maxCounts(account.saved, account.shared, this.now)
      account.unsaved = 0
    }
  }

  #makeInstance(): Instance {
    return { usesRedisFrom: this.#hasRedis ? 0 : Number.POSITIVE_INFINITY, ledgers: new Map(), pending: new Set() }
  }

  #makeAccount(id: number): Account {
    const plan = id % 50 === 0 ? 'enterprise' : (OTHER_PLANS[Math.floor(this.#random() * OTHER_PLANS.length)] as Plan)
    const limits = plan === 'enterprise' ? ENTERPRISE : limitsOf(plan)
    const connections = CONNECTIONS[Math.floor(this.#random() * CONNECTIONS.length)] as number
    const today = Math.floor(this.#random() * limits.perDay)
    const saved = { day: { used: today, resetsAt: STARTS_AT + DAY_MS / 2 } }
    const tally = { ...EMPTY_TALLY }
    return {
      id,
      plan,
      limits,
      connections,
      shared: undefined,
      saved,
      exact: saved,
      today,
      unsaved: 0,
      unreported: 0,
      tally,
    }
  }
}

function countInWindow(tally: WindowTally, endsAt: number): void {
  if (endsAt !== tally.windowEndsAt) {
    tally.windowEndsAt = endsAt
    tally.inWindow = 0
  }
  tally.inWindow++
  tally.inFullestWindow = Math.max(tally.inFullestWindow, tally.inWindow)
}
