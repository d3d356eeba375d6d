import { answerInTime, LONGEST_WAIT_MS, SILENCE_MS, within } from './patience.ts'
import { ServerClock } from './server-clock.ts'

/** What a circuit needs of its owner. */
export interface CircuitWork {
  /** Tries whether the part can be written. Gives what its clock says: Unix milliseconds. */
  probe(): Promise<number>
  /** Tells the part what was decided without it. */
  catchUp(): Promise<void>
  /** How many instances count together. */
  instances(): number
  lost(error: unknown): void
  returned(): void
}

/** How often it is tried whether the part is back, or, while nothing else shows it, still there. */
const PROBE_MS = 100
const IDLE_PROBE_MS = 1_000
/** Where calls fail although the probe does not, it is tried ever less often. */
const RAREST_PROBE_MS = 1_500
const STABLE_AFTER_MS = 10_000
/** By then all instances have noticed that the part is back, and have told it what they did alone. */
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
  #outages = 0
  #instances = 1
  #returnedAt = Number.NEGATIVE_INFINITY
  #heardAt = Number.NEGATIVE_INFINITY
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
    return performance.now() - this.#returnedAt < SETTLE_MS
  }

  /** How often the part was lost so far. */
  get outages(): number {
    return this.#outages
  }

  /** Among how many instances limits are divided: as many as there were at any time since the part was lost. */
  get instances(): number {
    this.#instances = Math.max(this.#instances, this.#work.instances())
    return this.#instances
  }

  /** Notes what the part's clock said in an answer. */
  heard(time: number, sentAt: number): void {
    this.#heardAt = performance.now()
    this.clock.note(time, sentAt, this.#heardAt)
  }

  /** Until when an answer is waited for: for as long as others come in time. */
  waitsUntil(sentAt: number): number {
    return Math.min(sentAt + LONGEST_WAIT_MS, Math.max(sentAt, this.#heardAt) + SILENCE_MS)
  }

  fail(error: unknown): void {
    if (this.#state === 'open' || this.#isClosed) return
    const isRelapse = performance.now() - this.#returnedAt < STABLE_AFTER_MS
    this.#probeMs = isRelapse ? Math.min(2 * this.#probeMs, RAREST_PROBE_MS) : PROBE_MS
    if (!this.isSettling) this.#instances = 1
    this.#state = 'open'
    this.#outages += 1
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
    const isIdle = performance.now() - this.#heardAt >= IDLE_PROBE_MS
    if (this.#state !== 'closed' || isIdle) await this.#probe()
    this.#tryIn(this.#state === 'open' ? this.#probeMs : IDLE_PROBE_MS)
  }

  #tryIn(ms: number): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#try(), ms)
  }

  async #probe(): Promise<void> {
    const sentAt = performance.now()
    try {
      this.heard(await answerInTime(this.#work.probe(), within(SILENCE_MS)), sentAt)
    } catch (error) {
      this.fail(error)
      return
    }
    if (this.#state !== 'closed' && !this.#isClosed) await this.#useAgain()
  }

  async #useAgain(): Promise<void> {
    this.#state = 'closed'
    if (!this.#isLost) return
    this.#returnedAt = performance.now()
    const outage = this.#outages
    await this.#work.catchUp()
    if (this.#outages !== outage || this.#isClosed) return
    this.#isLost = false
    this.#work.returned()
  }
}
