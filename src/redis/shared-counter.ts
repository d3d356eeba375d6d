import { setTimeout as sleep } from 'node:timers/promises'
import type { OutageLedger } from '../domain/outage-ledger.ts'
import { bannedDecision, type Decision, decide, type Window, windowsOf } from '../domain/rate-limiter.ts'
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
    decidedAlone(): void
  }
}

/** How long a call waits for the counts in the store, if Redis has lost them or cannot be reached. */
const LOAD_MS = 50
const LOAD_ALONE_MS = 15
/** How often to check whether another call has stored a ban. */
const CLAIM_POLL_MS = 10
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

  /**
   * Decides one call, in Redis or, if that cannot be reached, alone. Never rejects.
   * @returns `earnsBan`: the refused call has claimed a ban in Redis, which its instance is to store
   */
  async decide(tally: Tally, key: KeyArgs, now: number): Promise<{ decision: Decision; earnsBan: boolean }> {
    let reply = await this.ask(tally, tally.findSaved ? 'ask' : 'count', key, now)
    while (reply?.outcome === 'pending') {
      await sleep(CLAIM_POLL_MS)
      reply = await this.ask(tally, 'again', key, now)
    }
    if (!reply) return { decision: await this.#decideAlone(tally, key, now), earnsBan: false }
    const { outcome, decidedAt, bannedUntil } = reply
    const windows = windowsOf(reply.counts, tally.limits, decidedAt)
    const decision =
      outcome === 'banned'
        ? bannedDecision(windows, bannedUntil, decidedAt)
        : decide(outcome === 'admitted' ? 'admitted' : 'refused', windows, decidedAt)
    return { decision, earnsBan: outcome === 'claimed' }
  }

  /** Lets Redis decide one call, or peek; undefined if it cannot be reached. Never rejects. */
  async ask(tally: Tally, task: Task, key: KeyArgs, now: number): Promise<Reply | undefined> {
    const node = this.nodes.of(tally.key)
    return node.state === 'up' ? this.#ask(node, tally, task, key, now) : undefined
  }

  /**
   * The windows as known to this instance, without querying Redis.
   * @param isShared whether only the share of the instance is shown as remaining, as in an outage
   */
  windows(
    tally: Tally,
    now: number,
    isShared = this.nodes.of(tally.key).state !== 'up',
  ): [minute: Window, day: Window] {
    const instances = isShared ? this.#options.instances() : 1
    return this.#ledgerOf(tally).windows(tally.limits, instances, this.clockOf(tally, now))
  }

  /** Existing bans apply, but no new ones begin: strikes cannot be distinguished from calls that others have refused. */
  async #decideAlone(tally: Tally, { ban }: KeyArgs, now: number): Promise<Decision> {
    const [, , bannedUntil] = ban
    const at = this.clockOf(tally, now)
    if (at < bannedUntil) return bannedDecision(this.windows(tally, now), bannedUntil, at)
    const ledger = this.#ledgerOf(tally)
    const isFirst = !ledger.isSharing && ledger.isHandedOver
    if (tally.loading || isFirst) await this.#load(tally, LOAD_ALONE_MS, now)
    const decision = ledger.admit(tally.limits, this.#options.instances(), this.clockOf(tally, now))
    if (decision.outcome === 'admitted' && tally.findSaved) this.#unknown.add(tally)
    this.#options.watch.decidedAlone()
    return decision
  }

  /** The ledger of a tally, in the outage that there is. */
  #ledgerOf({ key, ledger }: Tally): OutageLedger {
    ledger.during(this.nodes.outageOf(this.nodes.of(key)))
    return ledger
  }

  /** Hands over all calls that were admitted alone, to any node: another node may have taken over the keys of the one that was down. */
  async #handOver(): Promise<void> {
    const tallies = [...this.#unknown]
    while (tallies.length > 0) {
      await Promise.all(
        tallies.splice(0, HANDED_OVER_AT_ONCE).map(async tally => {
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
