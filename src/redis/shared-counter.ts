import { setTimeout as sleep } from 'node:timers/promises'
import { type Decision, type Window, windowsOf } from '../domain/rate-limiter.ts'
import { consume, type KeyArgs, NO_KEY, type Reply, type Tally, type Task } from './consume.ts'
import { Nodes, type NodesWatch, type RedisNode } from './nodes.ts'
import { REDIS_TIMEOUT_MS, withTimeout } from './timeouts.ts'

export interface CounterOptions {
  instances(): number
  /** Unix milliseconds, by the clock of this process. */
  now(): number
  /** Whether windows and bans follow that clock instead of the clock of Redis. */
  ownClock: boolean
  watch: NodesWatch & {
    /** A call was decided in this process alone. */
    decidedAlone(): void
  }
}

/** How long a call waits for the counts in the store, if Redis has lost them or cannot be reached. */
const LOAD_MS = 50
const LOAD_ALONE_MS = 15
const HANDED_OVER_AT_ONCE = 500

/** Counts calls in Redis, together with the other instances. In an outage of Redis, counts in this process, against the share. */
export class SharedCounter {
  readonly nodes: Nodes
  readonly #options: CounterOptions
  /**
   * Accounts with calls that Redis does not know of. Addresses are not included, because there may be too many: the calls of an address are
   * handed over with its next call. If it has been forgotten by then, its calls of that minute may be admitted again.
   */
  readonly #unknown = new Set<Tally>()

  constructor(urls: readonly string[], options: CounterOptions) {
    this.nodes = new Nodes(urls, options.watch, () => this.#handOver())
    this.#options = options
  }

  /** Unix milliseconds, on the clock that times the windows of a tally. */
  clockOf({ key }: Tally, now: number): number {
    const { clock } = this.nodes.of(key)
    return this.#options.ownClock || !clock.isKnown ? now : clock.at(performance.now())
  }

  /** Lets Redis decide one call, or peek; undefined if it cannot be reached. Never rejects. */
  async ask(tally: Tally, task: Task, key: KeyArgs, now: number): Promise<Reply | undefined> {
    const node = this.nodes.of(tally.key)
    return node.state === 'up' ? this.#ask(node, tally, task, key, now) : undefined
  }

  /** Decides one call without Redis. Never rejects. */
  async decideAlone(tally: Tally, now: number): Promise<Decision> {
    const { ledger, limits } = tally
    ledger.during(this.nodes.outageOf(this.nodes.of(tally.key)))
    const isFirst = !ledger.isSharing && ledger.isHandedOver
    if (tally.loading || isFirst) await this.#load(tally, LOAD_ALONE_MS, now)
    const decision = ledger.admit(limits, this.#options.instances(), this.clockOf(tally, now))
    if (decision.outcome === 'admitted' && tally.findSaved) this.#unknown.add(tally)
    this.#options.watch.decidedAlone()
    return decision
  }

  /** The windows as known to this instance, without querying Redis. */
  knownWindows(tally: Tally, now: number): Window[] {
    const isUp = this.nodes.of(tally.key).state === 'up'
    if (!isUp) return this.sharedWindows(tally, now)
    const at = this.clockOf(tally, now)
    return windowsOf(tally.ledger.counts(at), tally.limits, at)
  }

  /** The same windows, with the calls that are left to this instance if all instances divide the rest. */
  sharedWindows(tally: Tally, now: number): [minute: Window, day: Window] {
    const { ledger, limits } = tally
    ledger.during(this.nodes.outageOf(this.nodes.of(tally.key)))
    return ledger.windows(limits, this.#options.instances(), this.clockOf(tally, now))
  }

  /** Hands over all calls that were admitted alone, to any node: another node may have taken over the keys of the one that was down. */
  async #handOver(): Promise<void> {
    const tallies = [...this.#unknown]
    for (let first = 0; first < tallies.length; first += HANDED_OVER_AT_ONCE) {
      const some = tallies.slice(first, first + HANDED_OVER_AT_ONCE)
      await Promise.all(
        some.map(async tally => {
          const node = this.nodes.of(tally.key)
          if (node.state !== 'down') await this.#ask(node, tally, 'peek', NO_KEY, this.#options.now())
        }),
      )
    }
  }

  /** Asks again until there is an answer. If none comes in time, the node is down. */
  async #ask(node: RedisNode, tally: Tally, task: Task, key: KeyArgs, now: number): Promise<Reply | undefined> {
    const { ledger } = tally
    const ownNow = this.#options.ownClock ? now : undefined
    let next = task
    let wasLate = false
    try {
      for (;;) {
        const sentAt = performance.now()
        const deadline = node.clock.at(sentAt + REDIS_TIMEOUT_MS)
        const reply = await withTimeout(consume(this.nodes.connection, tally, next, key, deadline, ownNow))
        node.clock.note(reply.clock, sentAt)
        if (reply.outcome === 'missing') {
          // Calls that are not handed over may be saved, too, and would be counted twice.
          if (ledger.isHandedOver) await this.#load(tally, LOAD_MS, now)
          next = 'count'
        } else if (reply.outcome === 'late') {
          // The server's clock was changed, or the estimate was still poor. This reply corrects it.
          if (wasLate) throw new Error('Redis responded too late.')
          wasLate = true
        } else {
          ledger.confirm(reply.counts, reply.decidedAt)
          if (ledger.isHandedOver) this.#unknown.delete(tally)
          return reply
        }
      }
    } catch (error) {
      this.nodes.fail(node, error)
      return undefined
    }
  }

  /** Loads the counts from the store. If they arrive after this time, later calls use them. */
  async #load(tally: Tally, waitMs: number, now: number): Promise<void> {
    if (!tally.findSaved) return
    tally.loading ??= tally
      .findSaved()
      .then(saved => tally.ledger.learn(saved, this.clockOf(tally, now)))
      .finally(() => {
        tally.loading = undefined
      })
    // Without the store, the counts that Redis returned last are used.
    await Promise.race([tally.loading, sleep(waitMs, undefined, { ref: false })]).catch(() => {})
  }
}
