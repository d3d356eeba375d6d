import { OutageLedger } from '../domain/outage-ledger.ts'
import type { Limits } from '../domain/plan.ts'
import { type Counts, type CountsReading, type Decision, type Window, windowsOf } from '../domain/rate-limiter.ts'
import { consume, type KeyArgs, NO_KEY, type Question, type Reply } from './consume.ts'
import { Nodes, type RedisNode } from './nodes.ts'
import type { RedisLimiterOptions } from './options.ts'
import { REDIS_TIMEOUT_MS, withTimeout } from './timeouts.ts'

/** What this instance knows about one account or address. */
export class Tally {
  readonly key: string
  /** As of its last call. An address has no limit per day: Infinity. */
  limits: Limits
  readonly ledger = new OutageLedger()
  /** When Redis last answered, by the clock that times the windows. */
  knownAt = 0
  /** Set while saved counts are being loaded. */
  loading: Promise<void> | undefined
  /** Returns the counts in the store, if they are saved there. */
  readonly findSaved: (() => Promise<Counts>) | undefined

  constructor(key: string, limits: Limits, findSaved?: () => Promise<Counts>) {
    this.key = key
    this.limits = limits
    this.findSaved = findSaved
  }
}

/** A call decided by Redis, or by this instance alone. */
export type Verdict = { reply: Reply; alone?: never } | { reply?: never; alone: Decision }

type CounterOptions = Pick<RedisLimiterOptions, 'instances' | 'now' | 'ownClock' | 'watch'>

/** How long a call waits for the counts in the store, if Redis has lost them or cannot be reached. */
const LOAD_MS = 50
const LOAD_ALONE_MS = 15
const HANDED_OVER_AT_ONCE = 500

/** Counts calls in Redis, together with the other instances. In an outage of Redis, counts in this process, against the share. */
export class SharedCounter {
  readonly #nodes: Nodes
  readonly #options: CounterOptions
  /**
   * Accounts with calls that Redis does not know of. Addresses are not included, because there may be too many: the calls of an address are
   * handed over with its next call. If it has been forgotten by then, its calls of that minute may be admitted again.
   */
  readonly #unknown = new Set<Tally>()

  constructor(urls: readonly string[], options: CounterOptions) {
    this.#nodes = new Nodes(urls, options.watch, () => this.#handOver())
    this.#options = options
  }

  /** Waits until it is known whether Redis can be used. */
  ready(key: string): Promise<void> {
    return this.#nodes.ready(key)
  }

  close(): void {
    this.#nodes.close()
  }

  /** Unix milliseconds, on the clock that times the windows of a tally. */
  clockOf({ key }: Tally, now: number): number {
    return this.#clock(this.#nodes.of(key), now)
  }

  /** Decides one call. Never rejects. */
  async count(tally: Tally, task: Question['task'], key: KeyArgs, now: number): Promise<Verdict> {
    const node = this.#nodes.of(tally.key)
    if (!node.isTried) await node.tried
    const reply = node.isUp ? await this.#ask(tally, node, task, key, now) : undefined
    return reply ? { reply } : { alone: await this.#countAlone(tally, node, now) }
  }

  /** Queries Redis without counting anything; undefined if Redis cannot be reached. Never rejects. */
  async peek(tally: Tally, key: KeyArgs, now: number): Promise<Reply | undefined> {
    const node = this.#nodes.of(tally.key)
    if (!node.isTried) await node.tried
    return node.isUp ? this.#ask(tally, node, 'peek', key, now) : undefined
  }

  /** Reads the counts, without counting anything. Never rejects. */
  async read(tally: Tally, now: number): Promise<CountsReading> {
    const reply = await this.peek(tally, NO_KEY, now)
    const readAt = reply?.decidedAt ?? this.clockOf(tally, now)
    return { counts: tally.ledger.counts(readAt), readAt, isComplete: reply !== undefined && tally.ledger.isHandedOver }
  }

  /** The windows as known to this instance, without querying Redis. */
  knownWindows(tally: Tally, now: number): { windows: readonly Window[]; decidedAt: number } {
    const node = this.#nodes.of(tally.key)
    const decidedAt = this.#clock(node, now)
    const { known } = tally.ledger
    const windows = node.isUp ? windowsOf(known, tally.limits, decidedAt) : this.#shareOf(tally, node, now)
    return { windows, decidedAt }
  }

  /** The calls of the minute left to this instance, if all instances divide the rest. */
  shareLeft(tally: Tally, now: number): number {
    return this.#shareOf(tally, this.#nodes.of(tally.key), now)[0]?.remaining ?? 0
  }

  /** Ends the claim of a ban in Redis (settle-ban.lua). If that fails, the claim expires. */
  async settleBan({ key }: Tally, ...args: (string | number)[]): Promise<void> {
    await withTimeout(this.#nodes.connection.run('settleBan', key, ...args)).catch(() => {})
  }

  /** The tally is no longer needed. */
  forget(tally: Tally): void {
    this.#unknown.delete(tally)
  }

  /** Hands over all calls that were admitted alone, to any node: another node may have taken over the keys of the one that was down. */
  async #handOver(): Promise<void> {
    const tallies = [...this.#unknown]
    for (let first = 0; first < tallies.length; first += HANDED_OVER_AT_ONCE) {
      await Promise.all(tallies.slice(first, first + HANDED_OVER_AT_ONCE).map(tally => this.#handOverOne(tally)))
    }
  }

  async #handOverOne(tally: Tally): Promise<void> {
    const node = this.#nodes.of(tally.key)
    if (!node.isTried) await node.tried
    if (!node.isDown) await this.#ask(tally, node, 'report', NO_KEY, this.#options.now())
  }

  /** Asks again until there is a decision. Undefined if Redis cannot be used or does not respond in time: the node is down. Never rejects. */
  async #ask(
    tally: Tally,
    node: RedisNode,
    task: Question['task'],
    key: KeyArgs,
    now: number,
  ): Promise<Reply | undefined> {
    const { ledger } = tally
    // Calls that are not handed over may be saved, too, and would be counted twice.
    const mayLoad = ledger.isHandedOver
    const unreported = task === 'peek' ? {} : ledger.send()
    let wasLate = false
    try {
      for (let next = task; ; ) {
        const sentAt = performance.now()
        const asked = consume(this.#nodes.connection, {
          task: next,
          hash: tally.key,
          limits: tally.limits,
          known: ledger.known,
          unreported,
          deadline: node.clock.at(sentAt + REDIS_TIMEOUT_MS),
          now: this.#options.ownClock ? now : undefined,
          key,
        })
        const reply = await withTimeout(asked)
        node.clock.note(reply.clock, sentAt)
        if (reply.outcome === 'missing') {
          if (mayLoad) await this.#load(tally, LOAD_MS, this.#clock(node, now))
          next = 'count'
        } else if (reply.outcome === 'late') {
          // The server's clock was changed, or the estimate was still poor. This reply corrects it.
          if (wasLate) throw new Error('Redis responded too late.')
          wasLate = true
        } else {
          ledger.confirm(unreported, reply.counts, reply.decidedAt)
          tally.knownAt = reply.decidedAt
          if (ledger.isHandedOver) this.#unknown.delete(tally)
          return reply
        }
      }
    } catch (error) {
      ledger.fail(unreported)
      node.fail(error)
      return undefined
    }
  }

  async #countAlone(tally: Tally, node: RedisNode, now: number): Promise<Decision> {
    const { ledger, limits } = tally
    ledger.during(node.outage)
    const isFirst = !ledger.isSharing && ledger.isHandedOver
    if (tally.loading || isFirst) await this.#load(tally, LOAD_ALONE_MS, this.#clock(node, now))
    const decision = ledger.admit(limits, this.#options.instances(), this.#clock(node, now))
    const isAddress = !Number.isFinite(limits.perDay)
    if (decision.outcome === 'admitted' && !isAddress) this.#unknown.add(tally)
    this.#options.watch.decidedAlone()
    return decision
  }

  /** Loads the counts from the store. If they arrive after the timeout, later calls use them. */
  async #load(tally: Tally, timeoutMs: number, at: number): Promise<void> {
    if (!tally.findSaved) return
    tally.loading ??= tally
      .findSaved()
      .then(saved => tally.ledger.learn(saved, at))
      .finally(() => {
        tally.loading = undefined
      })
    // Without the store, use the counts that Redis last returned.
    await withTimeout(tally.loading, timeoutMs).catch(() => {})
  }

  #shareOf({ ledger, limits }: Tally, node: RedisNode, now: number): Window[] {
    ledger.during(node.outage)
    return ledger.windows(limits, this.#options.instances(), this.#clock(node, now))
  }

  #clock({ clock }: RedisNode, now: number): number {
    return this.#options.ownClock || !clock.isKnown ? now : clock.at(performance.now())
  }
}
