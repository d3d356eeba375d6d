import { LRUCache } from 'lru-cache'
import {
  type AddressLimiter,
  type Count,
  current,
  type Decision,
  MINUTE_MS,
  type Window,
} from '../domain/rate-limiter.ts'

/** How many addresses are counted at once; the one unseen for longest makes room. */
const CAPACITY = 65_536

/** Counts the calls that come without a valid key, per client address, in minutes that begin at the first of them. */
export class AnonymousLimiter implements AddressLimiter {
  readonly #perMinute: number
  readonly #counts: LRUCache<string, Count>

  constructor(perMinute: number, capacity = CAPACITY) {
    this.#perMinute = perMinute
    // A bound of their number would make the room for all of them now.
    this.#counts = new LRUCache({ maxSize: capacity, sizeCalculation: () => 1 })
  }

  /** Counts one call, or refuses it and does not. */
  consume(address: string, now: number): Decision {
    const count = this.#find(address, now)
    if (count.used >= this.#perMinute) return decide('refused', this.#show(count), now)
    const spent = { used: count.used + 1, resetsAt: count.resetsAt }
    this.#counts.set(address, spent)
    return decide('admitted', this.#show(spent), now)
  }

  peek(address: string, now: number): Decision {
    return decide('admitted', this.#show(this.#find(address, now)), now)
  }

  #find(address: string, now: number): Count {
    return current(this.#counts.get(address), MINUTE_MS, now) ?? { used: 0, resetsAt: now + MINUTE_MS }
  }

  #show({ used, resetsAt }: Count): Window {
    const limit = this.#perMinute
    return { name: 'anonymous', lengthSeconds: MINUTE_MS / 1_000, limit, remaining: limit - used, resetsAt }
  }
}

function decide(outcome: Decision['outcome'], window: Window, decidedAt: number): Decision {
  return { outcome, windows: [window], shown: window, decidedAt }
}
