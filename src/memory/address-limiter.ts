import { LRUCache } from 'lru-cache'
import { type AddressLimiter, type Count, current, type Decision, decide, windowOf } from '../domain/rate-limiter.ts'
import { MINUTE_MS } from '../domain/time.ts'

const MAX_ADDRESSES = 65_536

/** Counts the calls without a valid key in this process. */
export class MemoryAddressLimiter implements AddressLimiter {
  readonly #perMinute: number
  readonly #counts: LRUCache<string, Count>

  constructor(perMinute: number, maxAddresses = MAX_ADDRESSES) {
    this.#perMinute = perMinute
    this.#counts = addressCache(maxAddresses)
  }

  consume(address: string, now: number): Decision {
    const { used, resetsAt } = this.#find(address, now)
    if (used >= this.#perMinute) return this.#decide('refused', { used, resetsAt }, now)
    const spent = { used: used + 1, resetsAt }
    this.#counts.set(address, spent)
    return this.#decide('admitted', spent, now)
  }

  peek(address: string, now: number): Decision {
    return this.#decide('admitted', this.#find(address, now), now)
  }

  known(address: string, now: number): Decision {
    return this.peek(address, now)
  }

  room(address: string, now: number): number {
    return this.#perMinute - this.#find(address, now).used
  }

  #find(address: string, now: number): Count {
    return current(this.#counts.get(address), MINUTE_MS, now) ?? { used: 0, resetsAt: now + MINUTE_MS }
  }

  #decide(outcome: Decision['outcome'], count: Count, now: number): Decision {
    return decide(outcome, [windowOf('anonymous', this.#perMinute, count)], now)
  }
}

/** Keeps one value per client address. When full, it evicts the least recently seen address. */
export function addressCache<Value extends {}>(maxAddresses = MAX_ADDRESSES): LRUCache<string, Value> {
  // With `max`, the cache would allocate memory for all addresses up front.
  return new LRUCache({ maxSize: maxAddresses, sizeCalculation: () => 1 })
}
