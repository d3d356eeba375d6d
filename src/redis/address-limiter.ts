import { KeyedQueue } from '../domain/keyed-queue.ts'
import {
  type AddressLimiter,
  type Count,
  current,
  type Decision,
  decide,
  type Window,
  windowsOf,
} from '../domain/rate-limiter.ts'
import { MINUTE_MS } from '../domain/time.ts'
import { addressCache } from '../memory/address-limiter.ts'
import { NO_KEY, newTally, type Tally } from './consume.ts'
import { MAX_CLOCK_ERROR_MS } from './server-clock.ts'
import type { SharedCounter } from './shared-counter.ts'

/** How often Redis may be queried about an address without counting a call, as a share of its limit. */
const PEEK_SHARE = 0.1

/**
 * Counts calls without a valid key, per client address, together with the other instances. An address cannot put more load on Redis than its
 * limit allows: this instance has no more queries about it in progress than its share of the remaining calls. Once no call is left, it does not
 * query Redis again until the minute is nearly over, and then with one query at a time.
 */
export class RedisAddressLimiter implements AddressLimiter {
  readonly #counter: SharedCounter
  readonly #keyOf: (address: string) => string
  readonly #limits: { perMinute: number; perDay: number }
  readonly #addresses = addressCache<KnownAddress>()
  readonly #queue = new KeyedQueue()

  /** @param keyOf the key in Redis that counts an address */
  constructor(counter: SharedCounter, keyOf: (address: string) => string, perMinute: number) {
    this.#counter = counter
    this.#keyOf = keyOf
    this.#limits = { perMinute, perDay: Number.POSITIVE_INFINITY }
  }

  consume(address: string, now: number): Decision | Promise<Decision> {
    const tally = this.#find(address)
    const count = async () => {
      const usedUp = this.#refuseUsedUp(tally, now)
      if (usedUp) return usedUp
      const { outcome, windows, decidedAt } = (await this.#counter.decide(tally, NO_KEY, now)).decision
      return decideAddress(outcome, windows, decidedAt)
    }
    return this.#refuseUsedUp(tally, now) ?? this.#queue.run(address, () => this.room(address, now), count)
  }

  peek(address: string, now: number): Decision | Promise<Decision> {
    const tally = this.#find(address)
    const peeks = current(tally.peeks, MINUTE_MS, now) ?? { used: 0, resetsAt: now + MINUTE_MS }
    const mayAsk = peeks.used < Math.floor(this.#limits.perMinute * PEEK_SHARE) && !this.#refuseUsedUp(tally, now)
    if (!mayAsk) return this.known(address, now)
    tally.peeks = { ...peeks, used: peeks.used + 1 }
    return this.#counter.ask(tally, 'peek', NO_KEY, now).then(() => this.known(address, now))
  }

  known(address: string, now: number): Decision {
    const tally = this.#find(address)
    return decideAddress('admitted', this.#counter.windows(tally, now), this.#counter.clockOf(tally, now))
  }

  room(address: string, now: number): number {
    const [minute] = this.#counter.windows(this.#find(address), now, true)
    return minute.remaining
  }

  /** Without a query, if no call is left until the minute ends. */
  #refuseUsedUp(tally: Tally, now: number): Decision | undefined {
    const at = this.#counter.clockOf(tally, now)
    const [minute] = windowsOf(tally.ledger.counts(at), this.#limits, at)
    const leftMs = minute.resetsAt - at
    // More than a minute left means that a clock was set back: only Redis knows whether the window still applies.
    const isOver = leftMs <= MAX_CLOCK_ERROR_MS || leftMs > MINUTE_MS
    return minute.remaining > 0 || isOver ? undefined : decideAddress('refused', [minute], at)
  }

  #find(address: string): KnownAddress {
    let known = this.#addresses.get(address)
    if (!known) {
      known = newTally(this.#keyOf(address), this.#limits)
      this.#addresses.set(address, known)
    }
    return known
  }
}

interface KnownAddress extends Tally {
  /** How often Redis was queried in this minute without counting a call. */
  peeks?: Count
}

/** An address has only the minute window of a tally. */
function decideAddress(outcome: Decision['outcome'], [minute]: readonly Window[], decidedAt: number): Decision {
  return decide(outcome, [{ ...(minute as Window), name: 'anonymous' }], decidedAt)
}
