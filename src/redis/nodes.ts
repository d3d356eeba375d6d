import { type Connection, connect, withoutCommand } from './connection.ts'
import { probeKeyOf } from './keys.ts'
import type { RedisLimiterOptions } from './options.ts'
import { ServerClock } from './server-clock.ts'
import { NoAnswer, withTimeout } from './timeouts.ts'

type NodesWatch = Pick<RedisLimiterOptions['watch'], 'lost' | 'returned'>

/** The nodes of Redis, each of which works or fails on its own: a single server, or the nodes of a cluster. */
export class Nodes {
  readonly connection: Connection
  readonly #shared: Shared

  /** @param handOver adds the calls that were admitted without Redis to its counts */
  constructor(urls: readonly string[], watch: NodesWatch, handOver: () => Promise<void>) {
    const nodes = new Map<string, RedisNode>()
    this.connection = connect(urls, (name, reason) => nodes.get(name)?.fail(reason))
    const { connection } = this
    this.#shared = { watch, handOver, connection, nodes, lost: new Set(), outages: 0, isClosed: false }
  }

  /** The node that holds a key. */
  of(key: string): RedisNode {
    const name = this.connection.nodeOf(key)
    return this.#shared.nodes.getOrInsertComputed(name, () => new RedisNode(name, key, this.#shared))
  }

  /** Waits until it is known whether the node that holds a key can be used. */
  async ready(key: string): Promise<void> {
    await this.connection.opened
    await this.of(key).tried
  }

  close(): void {
    this.#shared.isClosed = true
    for (const node of this.#shared.nodes.values()) node.close()
    this.connection.close()
  }
}

/** How often a node is probed, whether it is up or not. */
const STEADY_PROBE_MS = 1_000
const PROBE_MS = 100
/** After this time all other instances have also noticed that the node is back, and have handed over their calls. */
const SETTLE_MS = 2_000

/**
 * A circuit breaker for one node. The first failure takes the node down, so that no other call waits for it. Once probes, which write, succeed
 * again, the node is returning: all instances hand over the calls that they admitted alone, but still decide alone. After some time without
 * another failure, it is up.
 */
export class RedisNode {
  readonly clock = new ServerClock()
  /** Settles when it is first known whether the node can be used. */
  readonly tried: Promise<void>
  readonly #name: string
  readonly #key: string
  readonly #shared: Shared
  /** The number of the outage, which includes a relapse while the node is returning; undefined while the node is up. */
  outage: number | undefined
  #state: 'untried' | 'up' | 'down' | 'returning' = 'untried'
  #returnedAt = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param key a key that the node holds */
  constructor(name: string, key: string, shared: Shared) {
    this.#name = name
    this.#key = key
    this.#shared = shared
    this.#isClosed = shared.isClosed
    this.tried = this.#probe()
    this.tried.then(() => this.#watch())
  }

  get isTried(): boolean {
    return this.#state !== 'untried'
  }

  get isUp(): boolean {
    return this.#state === 'up'
  }

  get isDown(): boolean {
    return this.#state === 'down'
  }

  fail(error: unknown): void {
    if (this.#isClosed) return
    this.#state = 'down'
    this.#beginOutage()
    const { lost, watch } = this.#shared
    if (lost.has(this)) return
    lost.add(this)
    if (lost.size === 1) watch.lost(error instanceof Error ? withoutCommand(error) : error)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #watch(): Promise<void> {
    if (this.#state === 'returning') await this.#return()
    if (this.#isClosed) return
    this.#timer = setTimeout(
      async () => {
        await this.#probe()
        await this.#watch()
      },
      this.isUp ? STEADY_PROBE_MS : PROBE_MS,
    )
  }

  async #probe(): Promise<void> {
    const { connection, nodes, lost } = this.#shared
    const sentAt = performance.now()
    try {
      this.clock.note(Number(await withTimeout(connection.run('probe', probeKeyOf(this.#key)))), sentAt)
    } catch (error) {
      // It did not respond last time either: the connection may be dead without being closed.
      if (this.isDown && error instanceof NoAnswer) connection.reconnect(this.#name)
      // The driver reports only that it has no connection.
      this.fail(this.isTried ? error : (connection.failure() ?? error))
      return
    }
    if (this.isUp && connection.nodeOf(this.#key) !== this.#name) {
      // Another node has taken over the key and has responded. This one may be gone; if not, the next of its keys finds it again.
      this.close()
      nodes.delete(this.#name)
    }
    if (this.#state === 'up' || this.#state === 'returning') return
    // If another node is lost, its keys may have moved to this one.
    const isReturning = lost.size > 0
    this.#state = isReturning ? 'returning' : 'up'
    if (isReturning) this.#beginOutage()
    this.#returnedAt = performance.now()
  }

  /** While another node is lost, it is the same outage: keys may move between the nodes. */
  #beginOutage(): void {
    const { lost } = this.#shared
    if (this.outage === undefined && lost.size === 0) this.#shared.outages += 1
    this.outage ??= this.#shared.outages
  }

  async #return(): Promise<void> {
    const { lost, watch, handOver } = this.#shared
    await handOver()
    if (this.#state !== 'returning' || performance.now() - this.#returnedAt < SETTLE_MS) return
    this.#state = 'up'
    this.outage = undefined
    if (lost.delete(this) && lost.size === 0) watch.returned()
  }
}

/** State that all nodes share. */
interface Shared {
  readonly watch: NodesWatch
  handOver(): Promise<void>
  readonly connection: Connection
  readonly nodes: Map<string, RedisNode>
  readonly lost: Set<RedisNode>
  outages: number
  isClosed: boolean
}
