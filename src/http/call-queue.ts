import { performance } from 'node:perf_hooks'
import type { Overload } from '../domain/overload.ts'

/**
 * Milliseconds spent on calls before the event loop polls its sockets again. Each time, it accepts one connection: with 1,000 busy
 * connections and no turns, a new client would wait for 1,000 calls for each client that came before it.
 */
const TURN_MS = 1

/** How soon the end of an overload is noticed if no further call arrives. */
const NOTICE_MS = 100

/** What to do with each call. All times here are on the monotonic clock (`performance.now()`). */
export interface CallQueueWork<Call> {
  begin(call: Call, arrivedAt: number): void
  /** Sheds the call at little cost: there are more calls than can be carried out. */
  refuse(call: Call, arrivedAt: number): void
}

interface Waiting<Call> {
  readonly call: Call
  readonly arrivedAt: number
  next: Waiting<Call> | undefined
}

/**
 * Begins calls in the order in which they arrive: immediately, unless other calls have used up the turn. During an overload, calls that
 * have waited too long are refused.
 */
export class CallQueue<Call> {
  readonly #overload: Overload
  readonly #work: CallQueueWork<Call>
  #first: Waiting<Call> | undefined
  #last: Waiting<Call> | undefined
  #isTurn = false
  #turnBeganAt = 0
  /** Whether a timer is waiting for the end of an overload. */
  #isNoticing = false

  constructor(overload: Overload, work: CallQueueWork<Call>) {
    this.#overload = overload
    this.#work = work
  }

  add(call: Call): void {
    const arrivedAt = performance.now()
    if (!this.#isTurn) this.#beginTurn(arrivedAt)
    if (!this.#first && arrivedAt - this.#turnBeganAt < TURN_MS) this.#work.begin(call, arrivedAt)
    else this.#append({ call, arrivedAt, next: undefined })
  }

  /** The turn ends when the event loop has read all of its sockets. */
  #beginTurn(now: number): void {
    this.#isTurn = true
    this.#turnBeganAt = now
    setImmediate(() => this.#endTurn())
  }

  #endTurn(): void {
    this.#isTurn = false
    if (!this.#first) return
    const readFrom = this.#turnBeganAt
    let now = performance.now()
    // During an overload, reading calls takes most of the time. Spend at least as much on carrying them out.
    const ms = this.#overload.isOn ? Math.max(TURN_MS, now - readFrom) : TURN_MS
    let endsAt = now + ms
    for (let next = this.#first as Waiting<Call> | undefined; next && now < endsAt; next = this.#first) {
      this.#remove(next)
      // A call that has just been read could not have had its turn before, however long the reading took.
      const waitedMs = next.arrivedAt < readFrom ? now - next.arrivedAt : 0
      const isAdmitted = this.#overload.admits(waitedMs, now)
      if (isAdmitted) this.#work.begin(next.call, next.arrivedAt)
      else this.#work.refuse(next.call, next.arrivedAt)
      const before = now
      now = performance.now()
      if (!isAdmitted) endsAt += now - before
    }
    if (this.#first) this.#beginTurn(now)
    else this.#noteEmpty(now)
  }

  #noteEmpty(now: number): void {
    this.#overload.emptied(now)
    if (!this.#overload.isOn || this.#isNoticing) return
    this.#isNoticing = true
    setTimeout(() => {
      this.#isNoticing = false
      if (!this.#first) this.#noteEmpty(performance.now())
    }, NOTICE_MS).unref()
  }

  #append(waiting: Waiting<Call>): void {
    if (this.#last) this.#last.next = waiting
    else this.#first = waiting
    this.#last = waiting
  }

  #remove(waiting: Waiting<Call>): void {
    this.#first = waiting.next
    if (!waiting.next) this.#last = undefined
    // Once the garbage collector has moved one call to the old generation, this link would keep every later call alive until a full collection.
    waiting.next = undefined
  }
}
