import { Circuit } from './circuit.ts'
import { type Connection, connect, withoutCommand } from './connection.ts'

/** What is told of Redis as a whole. */
export interface PartsWork {
  instances(): number
  /** Tells a part what was decided without it. */
  catchUp(part: Circuit): Promise<void>
  /** A part cannot be used, the first one. */
  lost(error: unknown): void
  /** All parts can be used again. */
  returned(): void
}

/** The parts of Redis that work or fail each for itself: a single server, or the nodes of a cluster. */
export class Parts {
  readonly connection: Connection
  readonly #work: PartsWork
  readonly #circuits = new Map<string, Circuit>()
  readonly #lost = new Set<string>()
  #outages = 0
  #isClosed = false

  constructor(urls: readonly string[], work: PartsWork) {
    this.#work = work
    this.connection = connect(urls, (part, reason) => this.#circuits.get(part)?.fail(reason))
  }

  /** The part that holds a key. */
  of(key: string): Circuit {
    const name = this.connection.partOf(key)
    const known = this.#circuits.get(name)
    if (known) return known
    const circuit: Circuit = new Circuit({
      probe: () => this.#probe(name, key),
      reconnect: () => this.connection.reconnect(name),
      catchUp: () => this.#work.catchUp(circuit),
      instances: () => this.#work.instances(),
      beginOutage: () => {
        this.#outages += 1
        return this.#outages
      },
      outageElsewhere: () => (this.#lost.size > 0 ? this.#outages : undefined),
      lost: error => {
        this.#lost.add(name)
        if (this.#lost.size === 1) this.#work.lost(error instanceof Error ? withoutCommand(error) : error)
      },
      returned: () => {
        this.#lost.delete(name)
        if (this.#lost.size === 0) this.#work.returned()
      },
    })
    if (this.#isClosed) circuit.close()
    this.#circuits.set(name, circuit)
    return circuit
  }

  /** Settled when it is known whether the part that holds a key can be used. */
  async ready(key: string): Promise<void> {
    await this.connection.opened
    await this.of(key).tried
  }

  async #probe(name: string, key: string): Promise<number> {
    const time = Number(await this.connection.run('probe', `${key}:probe`))
    // Another node has taken the key over: this answer was not of the part, which may be gone. If it is not, it is met again.
    if (this.connection.partOf(key) !== name && !this.#lost.has(name)) {
      this.#circuits.get(name)?.close()
      this.#circuits.delete(name)
    }
    return time
  }

  close(): void {
    this.#isClosed = true
    for (const circuit of this.#circuits.values()) circuit.close()
    this.connection.close()
  }
}
