import { LRUCache } from 'lru-cache'
import {
  type AddressLimiter,
  type Count,
  current,
  type Decision,
  MINUTE_MS,
  type Window,
  windowsOf,
} from '../domain/rate-limiter.ts'
import { Lanes } from './lanes.ts'
import { NO_KEY, newTally, type SharedCounter, type Tally } from './shared-counter.ts'

/** Of how many addresses it is known how they stand; the one unseen for longest makes room. */
const CAPACITY = 65_536
/** Of its allowance, how much an address may cost Redis beside it, to be shown how it stands. */
const LOOKS = 0.1
/** By more than that, this process is not wrong about the clock of Redis. */
const CLOCK_MS = 200

/**
 * Counts the calls that come without a valid key, per client address, together with the other instances. An address costs Redis no
 * more than its allowance: this instance has no more questions about it under way than its share of the calls that are left, and
 * after a refusal it does not ask again before the minute is nearly over, and then one question after the other.
 */
export class RedisAddressLimiter implements AddressLimiter {
  readonly #counter: SharedCounter
  readonly #keyOf: (address: string) => string
  readonly #limits: { perMinute: number; perDay: number }
  readonly #addresses: LRUCache<string, KnownAddress>
  /** What is being counted in Redis. */
  readonly #counts = new Lanes()

  /** @param keyOf the key in Redis that counts an address */
  constructor(counter: SharedCounter, keyOf: (address: string) => string, perMinute: number) {
    this.#counter = counter
    this.#keyOf = keyOf
    this.#limits = { perMinute, perDay: Number.POSITIVE_INFINITY }
    // A bound of their number would make the room for all of them now.
    this.#addresses = new LRUCache({ maxSize: CAPACITY, sizeCalculation: () => 1 })
  }

  consume(address: string, now: number): Decision | Promise<Decision> {
    return (
      this.#stillRefused(address, now) ??
      this.#counts.run(
        address,
        () => this.#left(address, now),
        async () => this.#stillRefused(address, now) ?? this.#count(address, now),
      )
    )
  }

  peek(address: string, now: number): Decision | Promise<Decision> {
    const refused = this.#stillRefused(address, now)
    if (refused) return { ...refused, outcome: 'admitted' }
    const known = this.#find(address)
    const looks = current(known.looks, MINUTE_MS, now) ?? { used: 0, resetsAt: now + MINUTE_MS }
    if (looks.used >= Math.floor(this.#limits.perMinute * LOOKS)) return this.#standing(known, now)
    known.looks = { ...looks, used: looks.used + 1 }
    return this.#counter.peek(known.tally, NO_KEY, now).then(() => this.#standing(known, now))
  }

  /** How the address stands as far as this instance knows. */
  #standing({ tally }: KnownAddress, now: number): Decision {
    const { windows, decidedAt } = this.#counter.standing(tally, now)
    return decide('admitted', windows, decidedAt)
  }

  /** How many calls this instance may count, as far as it knows, if all instances divide what is left. */
  #left(address: string, now: number): number {
    return this.#counter.shareLeft(this.#find(address).tally, now)
  }

  async #count(address: string, now: number): Promise<Decision> {
    const known = this.#find(address)
    const { reply, alone } = await this.#counter.count(known.tally, { task: 'count', about: NO_KEY }, now)
    if (alone) return decide(alone.outcome, alone.windows, alone.decidedAt)
    const { outcome, counts, decidedAt } = reply
    const isAdmitted = outcome === 'admitted'
    const windows = windowsOf(counts, this.#limits, decidedAt)
    const decision = decide(isAdmitted ? 'admitted' : 'refused', windows, decidedAt)
    if (!isAdmitted) known.refused = decision
    return decision
  }

  #stillRefused(address: string, now: number): Decision | undefined {
    const { tally, refused } = this.#find(address)
    if (!refused) return undefined
    const at = this.#counter.clockOf(tally, now)
    const leftMs = refused.shown.resetsAt - at
    // No minute lasts for longer: a clock was set back, and only Redis knows whether it still holds.
    return leftMs > CLOCK_MS && leftMs <= MINUTE_MS ? { ...refused, decidedAt: at } : undefined
  }

  #find(address: string): KnownAddress {
    let known = this.#addresses.get(address)
    if (!known) {
      known = { tally: newTally(this.#keyOf(address), this.#limits), refused: undefined, looks: undefined }
      this.#addresses.set(address, known)
    }
    return known
  }
}

interface KnownAddress {
  tally: Tally
  /** What Redis refused it by. */
  refused: Decision | undefined
  /** How often Redis was asked, within a minute, and nothing was counted. */
  looks: Count | undefined
}

/** Of the windows that accounts have, an address has the minute. */
function decide(outcome: Decision['outcome'], [minute]: readonly Window[], decidedAt: number): Decision {
  const shown: Window = { ...(minute as Window), name: 'anonymous' }
  return { outcome, windows: [shown], shown, decidedAt }
}
