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
 * limit allows: this instance has no more queries about it in progress than its share of the remaining calls. After a refusal it does not
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
    const room = () => this.room(address, now)
    const count = async () => this.#stillRefused(address, now) ?? this.#count(address, now)
    return this.#stillRefused(address, now) ?? this.#queue.run(address, room, count)
  }

  peek(address: string, now: number): Decision | Promise<Decision> {
    if (this.#stillRefused(address, now)) return this.known(address, now)
    const known = this.#find(address)
    const peeks = current(known.peeks, MINUTE_MS, now) ?? { used: 0, resetsAt: now + MINUTE_MS }
    if (peeks.used >= Math.floor(this.#limits.perMinute * PEEK_SHARE)) return this.known(address, now)
    known.peeks = { ...peeks, used: peeks.used + 1 }
    return this.#counter.ask(known.tally, 'peek', NO_KEY, now).then(() => this.known(address, now))
  }

  known(address: string, now: number): Decision {
    const refused = this.#stillRefused(address, now)
    if (refused) return { ...refused, outcome: 'admitted' }
    const { tally } = this.#find(address)
    return decideAddress('admitted', this.#counter.knownWindows(tally, now), this.#counter.clockOf(tally, now))
  }

  room(address: string, now: number): number {
    if (this.#stillRefused(address, now)) return 0
    const [minute] = this.#counter.sharedWindows(this.#find(address).tally, now)
    return minute.remaining
  }

  async #count(address: string, now: number): Promise<Decision> {
    const known = this.#find(address)
    const reply = await this.#counter.ask(known.tally, 'count', NO_KEY, now)
    if (!reply) {
      const { outcome, windows, decidedAt } = await this.#counter.decideAlone(known.tally, now)
      return decideAddress(outcome, windows, decidedAt)
    }
    const outcome = reply.outcome === 'admitted' ? 'admitted' : 'refused'
    const decision = decideAddress(outcome, windowsOf(reply.counts, this.#limits, reply.decidedAt), reply.decidedAt)
    if (outcome === 'refused') known.refused = decision
    return decision
  }

  #stillRefused(address: string, now: number): Decision | undefined {
    const { tally, refused } = this.#find(address)
    if (!refused) return undefined
    const decidedAt = this.#counter.clockOf(tally, now)
    const leftMs = refused.shown.resetsAt - decidedAt
    // More than a minute left means that a clock was set back: only Redis knows whether the refusal still applies.
    return leftMs > MAX_CLOCK_ERROR_MS && leftMs <= MINUTE_MS ? { ...refused, decidedAt } : undefined
  }

  #find(address: string): KnownAddress {
    let known = this.#addresses.get(address)
    if (!known) {
      known = { tally: newTally(this.#keyOf(address), this.#limits) }
      this.#addresses.set(address, known)
    }
    return known
  }
}

interface KnownAddress {
  tally: Tally
  /** The last refusal by Redis. */
  refused?: Decision
  /** How often Redis was queried in this minute without counting a call. */
  peeks?: Count
}

/** An address has only the minute window of a tally. */
function decideAddress(outcome: Decision['outcome'], [minute]: readonly Window[], decidedAt: number): Decision {
  return decide(outcome, [{ ...(minute as Window), name: 'anonymous' }], decidedAt)
}
