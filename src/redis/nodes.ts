import { type Connection, connect, withoutCommand } from './connection.ts'
import { probeKeyOf } from './keys.ts'
import type { RedisLimiterOptions } from './options.ts'
import { ServerClock } from './server-clock.ts'
import { NoAnswer, withTimeout } from './timeouts.ts'

type NodesOptions = Pick<RedisLimiterOptions, 'instances' | 'watch'>

/** The nodes of Redis, each of which works or fails on its own: a single server, or the nodes of a cluster. */
export class Nodes {
  readonly connection: Connection
  readonly #shared: Shared

  /** @param catchUp reports to Redis the calls that were admitted without the node */
  constructor(urls: readonly string[], options: NodesOptions, catchUp: (node: RedisNode) => Promise<void>) {
    const nodes = new Map<string, RedisNode>()
    this.connection = connect(urls, (name, reason) => nodes.get(name)?.fail(reason))
    const { connection } = this
    this.#shared = { options, catchUp, connection, nodes, lost: new Set(), outages: 0, isClosed: false }
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

/** How often a node is probed, whether it is down or up. */
const PROBE_MS = 100
const STEADY_PROBE_MS = 1_000
/** If calls fail although probes succeed, the delay between probes increases up to this. */
const MAX_PROBE_MS = 1_500
const STABLE_AFTER_MS = 10_000
/** After this time all other instances have also noticed that the node is back, and have reported their calls. */
const SETTLE_MS = 2_000

/**
 * A circuit breaker for one node. The first failure takes the node down, so that no other call waits for it. A successful probe, which writes,
 * brings it back. For a short time after that the node is settling: this instance still keeps to its share, because other instances may not
 * yet have reported the calls that they admitted.
 */
export class RedisNode {
  readonly clock = new ServerClock()
  /** Settles when it is first known whether the node can be used. */
  readonly tried: Promise<void>
  /** The number of the current or last outage; 0 before the first. A relapse while settling is part of the same outage. */
  outage = 0
  readonly #name: string
  readonly #key: string
  readonly #shared: Shared
  #state: 'untried' | 'up' | 'down' = 'untried'
  /** From the first failure until the node is up again and has received all reports. */
  #isLost = false
  #instances = 1
  #returnedAt = Number.NEGATIVE_INFINITY
  #settlesUntil = Number.NEGATIVE_INFINITY
  #probeMs = PROBE_MS
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param key a key that the node holds */
  constructor(name: string, key: string, shared: Shared) {
    this.#name = name
    this.#key = key
    this.#shared = shared
    this.#isClosed = shared.isClosed
    this.tried = this.#try()
  }

  get isTried(): boolean {
    return this.#state !== 'untried'
  }

  get isDown(): boolean {
    return this.#state === 'down'
  }

  get isSettling(): boolean {
    return performance.now() < this.#settlesUntil
  }

  /** The number of instances that share the limits: the maximum since the node was lost. */
  get instances(): number {
    this.#instances = Math.max(this.#instances, this.#shared.options.instances())
    return this.#instances
  }

  fail(error: unknown): void {
    if (this.isDown || this.#isClosed) return
    const isRelapse = performance.now() - this.#returnedAt < STABLE_AFTER_MS
    this.#probeMs = isRelapse ? Math.min(2 * this.#probeMs, MAX_PROBE_MS) : PROBE_MS
    if (!this.isSettling) {
      this.#instances = 1
      this.outage = (this.isTried ? undefined : this.#outageElsewhere()) ?? this.#beginOutage()
    }
    this.#state = 'down'
    this.#tryIn(this.#probeMs)
    if (this.#isLost) return
    this.#isLost = true
    const { lost, options } = this.#shared
    lost.add(this)
    if (lost.size === 1) options.watch.lost(error instanceof Error ? withoutCommand(error) : error)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #try(): Promise<void> {
    await this.#probe()
    this.#tryIn(this.isDown ? this.#probeMs : STEADY_PROBE_MS)
  }

  #tryIn(ms: number): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#try(), ms)
  }

  async #probe(): Promise<void> {
    const { connection, nodes } = this.#shared
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
    if (connection.nodeOf(this.#key) !== this.#name && !this.#isLost) {
      // Another node has taken over the key and has responded. This one may be gone; if not, the next of its keys finds it again.
      this.close()
      nodes.delete(this.#name)
    }
    if (this.#state !== 'up' && !this.#isClosed) this.#useAgain()
  }

  async #useAgain(): Promise<void> {
    this.#state = 'up'
    const elsewhere = this.#isLost ? undefined : this.#outageElsewhere()
    if (!this.#isLost && elsewhere === undefined) return
    this.outage = elsewhere ?? this.outage
    const returnedAt = performance.now()
    this.#returnedAt = returnedAt
    this.#settlesUntil = Number.POSITIVE_INFINITY
    const { lost, options, catchUp } = this.#shared
    await catchUp(this)
    if (this.isDown || this.#returnedAt !== returnedAt || this.#isClosed) return
    this.#settlesUntil = performance.now() + SETTLE_MS
    if (!this.#isLost) return
    this.#isLost = false
    lost.delete(this)
    if (lost.size === 0) options.watch.returned()
  }

  #beginOutage(): number {
    this.#shared.outages += 1
    return this.#shared.outages
  }

  /** The outage of another node, if any: its keys may have moved to this node. */
  #outageElsewhere(): number | undefined {
    return this.#shared.lost.size > 0 ? this.#shared.outages : undefined
  }
}

/** State that all nodes share. */
interface Shared {
  readonly options: NodesOptions
  catchUp(node: RedisNode): Promise<void>
  readonly connection: Connection
  readonly nodes: Map<string, RedisNode>
  readonly lost: Set<RedisNode>
  outages: number
  isClosed: boolean
}
