import { conflict } from '../domain/errors.ts'

export interface RoomOptions {
  /** On disk, for all clients together. */
  maxBytes: number
  maxClients: number
  /** Monotonic, in milliseconds. */
  clock?: () => number
}

/** How long a client has to show its speed. Until then, it counts as fast. */
const GRACE_MS = 5_000

/**
 * Room for files that wait for their clients. When it is used up, the slowest client loses its share, so that slow ones do not hold up others.
 * A file that is alone has all the room that it needs.
 */
export class ClientRoom {
  readonly #options: Required<RoomOptions>
  /** Oldest first. */
  readonly #shares = new Set<Share>()

  constructor(options: RoomOptions) {
    this.#options = { clock: () => performance.now(), ...options }
  }

  open(): Share {
    const share = new Share(
      this.#options.clock(),
      () => this.#makeRoom(),
      () => this.#shares.delete(share),
    )
    this.#shares.add(share)
    this.#makeRoom()
    return share
  }

  #makeRoom(): void {
    while (this.#isOverfull()) {
      const loser = this.#slowest()
      if (!loser) return
      loser.lose()
    }
  }

  #isOverfull(): boolean {
    const { maxBytes, maxClients } = this.#options
    const shares = [...this.#shares]
    return (
      shares.length > maxClients || (shares.length > 1 && shares.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes)
    )
  }

  #slowest(): Share | undefined {
    const now = this.#options.clock()
    const speedOf = ({ moved, since }: Share) =>
      now - since < GRACE_MS ? Number.POSITIVE_INFINITY : moved / (now - since)
    const [first, ...others] = [...this.#shares].filter(({ isWaiting }) => isWaiting)
    return first && others.reduce((slowest, other) => (speedOf(other) < speedOf(slowest) ? other : slowest), first)
  }
}

export class Share implements Disposable {
  bytes = 0
  /** The bytes that the client has sent or read. */
  moved = 0
  /** Whether anything still waits for the client. */
  isWaiting = true
  readonly since: number
  readonly #makeRoom: () => void
  readonly #leave: () => void
  readonly #lost = new AbortController()

  constructor(since: number, makeRoom: () => void, leave: () => void) {
    this.since = since
    this.#makeRoom = makeRoom
    this.#leave = leave
  }

  /** Aborted, with a UserError, when the share is lost to a faster client. */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  grow(bytes: number): void {
    this.bytes += bytes
    this.#makeRoom()
  }

  lose(): void {
    this[Symbol.dispose]()
    this.#lost.abort(conflict(LOST))
  }

  [Symbol.dispose](): void {
    this.#leave()
  }
}

const LOST = 'The files of others need the room of this one, and its connection was the slowest; try again.'
