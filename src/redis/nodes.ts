import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, connect } from './connection.ts'
import { CONNECT_TIMEOUT_MS } from './driver-options.ts'
import { probeKeyOf } from './keys.ts'
import { ServerClock } from './server-clock.ts'
import { withTimeout } from './timeouts.ts'

/** How often a node is probed, whether it is up or not. */
const STEADY_PROBE_MS = 1_000
const PROBE_MS = 100
/** After this time all other instances have also noticed that the node is back, and have handed over their calls. */
const SETTLE_MS = 2_000
/** A node that cannot be used for this long gets another connection. Sentinels may already know another primary. */
const RECONNECT_MS = 3_000

/**
 * One Redis server.
 *
 * | state       | this instance decides its calls | until                                                                      |
 * | ----------- | ------------------------------- | -------------------------------------------------------------------------- |
 * | `up`        | by asking the node              | a question fails, or the connection is lost: `down`                        |
 * | `down`      | alone                           | a probe, which writes, succeeds: `returning`                               |
 * | `returning` | alone, and hands them over      | nothing has failed for two seconds: `up`; or something has failed: `down`  |
 */
export interface RedisNode {
  readonly name: string
  /** A key that the node holds. */
  readonly key: string
  readonly clock: ServerClock
  state: 'up' | 'down' | 'returning'
  /** When that began, or the connection was last replaced; on the clock of `performance.now()`. */
  since: number
}

export interface NodesWatch {
  /** Redis, or a node of it, cannot be used: this process counts calls alone, against this instance's share. */
  lost(error: unknown): void
  /** All of Redis can be used again, and knows the calls that were admitted without it. */
  returned(): void
}

/** The nodes of Redis, each of which works or fails on its own, so that no call waits for one that is known to be down. */
export class Nodes {
  readonly connection: Connection
  readonly #watch: NodesWatch
  readonly #handOver: () => Promise<void>
  readonly #nodes = new Map<string, RedisNode>()
  /** Counts the outages. While any node is not up, it is the same one: keys may move between the nodes. */
  #outages = 0
  #isOutage = false
  #isClosed = false

  /** @param handOver adds the calls that were admitted without Redis to its counts */
  constructor(urls: readonly string[], watch: NodesWatch, handOver: () => Promise<void>) {
    this.connection = connect(urls, (name, reason) => {
      const node = this.#nodes.get(name)
      if (node) this.fail(node, reason)
    })
    this.#watch = watch
    this.#handOver = handOver
  }

  /** The node that holds a key. A new one counts as down while others are: its keys may have moved there from them. */
  of(key: string): RedisNode {
    const name = this.connection.nodeOf(key)
    return this.#nodes.getOrInsertComputed(name, () => {
      const state = this.#isOutage ? 'down' : 'up'
      const node: RedisNode = { name, key, clock: new ServerClock(), state, since: performance.now() }
      this.#keepProbing(node)
      return node
    })
  }

  /** The number of the outage in which calls of the node are decided alone; undefined if the node is up. */
  outageOf({ state }: RedisNode): number | undefined {
    return state === 'up' ? undefined : this.#outages
  }

  /** Waits until it is known whether the node that holds a key can be used. */
  async ready(key: string): Promise<void> {
    const failure = await Promise.race([this.connection.opened, sleep(CONNECT_TIMEOUT_MS, undefined, { ref: false })])
    const node = this.of(key)
    if (failure) this.fail(node, failure)
    else await this.#probe(node)
  }

  fail(node: RedisNode, error: unknown): void {
    if (this.#isClosed) return
    if (node.state !== 'down') enter(node, 'down')
    if (this.#isOutage) return
    this.#isOutage = true
    this.#outages += 1
    // The driver's errors contain the failed command. It may contain the password, which must not be logged.
    this.#watch.lost(error instanceof Error ? new Error(error.message) : error)
  }

  close(): void {
    this.#isClosed = true
    this.connection.close()
  }

  /** Until another node has taken over the key and has answered. This one may then be gone; if not, the next of its keys finds it again. */
  async #keepProbing(node: RedisNode): Promise<void> {
    do {
      await sleep(node.state === 'up' ? STEADY_PROBE_MS : PROBE_MS, undefined, { ref: false })
      await this.#probe(node)
      if (node.state === 'returning') await this.#return(node)
    } while (!this.#isClosed && (node.state !== 'up' || this.connection.nodeOf(node.key) === node.name))
    this.#nodes.delete(node.name)
  }

  async #probe(node: RedisNode): Promise<void> {
    const sentAt = performance.now()
    try {
      node.clock.note(Number(await withTimeout(this.connection.run('probe', probeKeyOf(node.key)))), sentAt)
      if (node.state === 'down') enter(node, 'returning')
    } catch (error) {
      this.fail(node, error)
      if (performance.now() - node.since < RECONNECT_MS) return
      enter(node, 'down')
      this.connection.reconnect(node.name)
    }
  }

  async #return(node: RedisNode): Promise<void> {
    await this.#handOver()
    if (node.state !== 'returning' || performance.now() - node.since < SETTLE_MS) return
    enter(node, 'up')
    this.#isOutage = [...this.#nodes.values()].some(({ state }) => state !== 'up')
    if (!this.#isOutage) this.#watch.returned()
  }
}

function enter(node: RedisNode, state: RedisNode['state']): void {
  node.state = state
  node.since = performance.now()
}
