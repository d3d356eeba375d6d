import { answerInTime, NoAnswer } from './patience.ts'
import { ServerClock } from './server-clock.ts'

/** What a circuit needs of its owner. */
export interface CircuitWork {
  /** Tries whether the part can be written. Gives what its clock says: Unix milliseconds. */
  probe(): Promise<number>
  /** Ends the connection to the part, so that another one is made. */
  reconnect(): void
  /** Tells the part what was decided without it. */
  catchUp(): Promise<void>
  /** How many instances count together. */
  instances(): number
  /** A number for an outage that begins. */
  beginOutage(): number
  /** The outage that another part is in, if one is: what that held, this one may hold now. */
  outageElsewhere(): number | undefined
  lost(error: unknown): void
  returned(): void
}

/** How often it is tried whether the part is back, or still there. */
const PROBE_MS = 100
const STEADY_PROBE_MS = 1_000
/** Where calls fail although the probe does not, it is tried ever less often. */
const RAREST_PROBE_MS = 1_500
const STABLE_AFTER_MS = 10_000
/** So long after one instance has told what it did alone, all others have noticed as well that the part is back, and have told theirs. */
const SETTLE_MS = 2_000

/**
 * Whether a part of Redis can be used. It is given up at its first failure, so that no other call waits for it, and used again
 * when a probe finds that it can be written. For a while after that this instance still keeps to its share: others may not have
 * told yet what they admitted.
 */
export class Circuit {
  readonly clock = new ServerClock()
  /** Settled when it is known for the first time whether the part can be used. */
  readonly tried: Promise<void>
  readonly #work: CircuitWork
  #state: 'untried' | 'open' | 'closed' = 'untried'
  /** From the first failure until it is used again and has been told everything. */
  #isLost = false
  #outage = 0
  #instances = 1
  #returnedAt = Number.NEGATIVE_INFINITY
  #settlesUntil = Number.NEGATIVE_INFINITY
  #probeMs = PROBE_MS
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(work: CircuitWork) {
    this.#work = work
    this.tried = this.#try()
  }

  get isTried(): boolean {
    return this.#state !== 'untried'
  }

  /** Whether the part is not to be asked. */
  get isOpen(): boolean {
    return this.#state === 'open'
  }

  get isSettling(): boolean {
    return performance.now() < this.#settlesUntil
  }

  /** The outage that the part is in, or was in last; a relapse while it settles is part of it. 0 before the first. */
  get outage(): number {
    return this.#outage
  }

  /** Among how many instances limits are divided: as many as there were at any time since the part was lost. */
  get instances(): number {
    this.#instances = Math.max(this.#instances, this.#work.instances())
    return this.#instances
  }

  /** Notes what the part's clock said in an answer. */
  heard(time: number, sentAt: number): void {
    this.clock.note(time, sentAt, performance.now())
  }

  fail(error: unknown): void {
    if (this.#state === 'open' || this.#isClosed) return
    const isRelapse = performance.now() - this.#returnedAt < STABLE_AFTER_MS
    this.#probeMs = isRelapse ? Math.min(2 * this.#probeMs, RAREST_PROBE_MS) : PROBE_MS
    if (!this.isSettling) {
      this.#instances = 1
      this.#outage = (this.isTried ? undefined : this.#work.outageElsewhere()) ?? this.#work.beginOutage()
    }
    this.#state = 'open'
    this.#tryIn(this.#probeMs)
    if (this.#isLost) return
    this.#isLost = true
    this.#work.lost(error)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #try(): Promise<void> {
    await this.#probe()
    this.#tryIn(this.#state === 'open' ? this.#probeMs : STEADY_PROBE_MS)
  }

  #tryIn(ms: number): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#try(), ms)
  }

  async #probe(): Promise<void> {
    const sentAt = performance.now()
    try {
      this.heard(await answerInTime(this.#work.probe()), sentAt)
    } catch (error) {
      // It was silent before, too: the connection may have died without a word.
      if (this.isOpen && error instanceof NoAnswer) this.#work.reconnect()
      this.fail(error)
      return
    }
    if (this.#state !== 'closed' && !this.#isClosed) this.#useAgain()
  }

  async #useAgain(): Promise<void> {
    this.#state = 'closed'
    const elsewhere = this.#isLost ? undefined : this.#work.outageElsewhere()
    if (!this.#isLost && elsewhere === undefined) return
    this.#outage = elsewhere ?? this.#outage
    const returnedAt = performance.now()
    this.#returnedAt = returnedAt
    this.#settlesUntil = Number.POSITIVE_INFINITY
    await this.#work.catchUp()
    if (this.isOpen || this.#returnedAt !== returnedAt || this.#isClosed) return
    this.#settlesUntil = performance.now() + SETTLE_MS
    if (!this.#isLost) return
    this.#isLost = false
    this.#work.returned()
  }
}
