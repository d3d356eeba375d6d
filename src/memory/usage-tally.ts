import type { Caller } from '../domain/account.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import type { Store } from '../domain/store.ts'
import { dayOf, type KeyUsage } from '../domain/usage.ts'

/** How many sums are written at once: whoever writes meanwhile waits for them. */
const SAVED_AT_ONCE = 1_000

/** Counts who calls what, in memory, until it is next saved: a call costs two look-ups and an addition. */
export class UsageTally {
  readonly #store: Pick<Store, 'addUsage'>
  /** What is being counted, all of one day, by key and operation. */
  #tally = new Map<bigint, Map<string, KeyUsage>>()
  #day = 0
  /** What waits to be stored, by day, key and operation. */
  #unsaved = new Map<string, KeyUsage>()

  constructor(store: Pick<Store, 'addUsage'>) {
    this.#store = store
  }

  /** @param status the answer's; undefined if the client was gone before it */
  add(caller: Caller, operation: string, outcome: Decision['outcome'], status: number | undefined, now: number): void {
    const usage = this.#find(caller, operation, now)
    usage[outcome]++
    if (outcome === 'admitted' && status !== undefined) usage[statusClass(status)]++
    if (now > usage.lastAt) usage.lastAt = now
  }

  /** Stores what was counted since it last did. What cannot be stored is kept for the next time. */
  async save(): Promise<void> {
    this.#closeTally()
    for (let part = this.#firstUnsaved(); part.length > 0; part = this.#firstUnsaved()) {
      for (const usage of part) this.#unsaved.delete(keyOf(usage))
      try {
        await this.#store.addUsage(part)
      } catch (error) {
        for (const usage of part) this.#keep(usage)
        throw error
      }
    }
  }

  #find({ keyId, accountId }: Caller, operation: string, now: number): KeyUsage {
    const day = dayOf(now)
    if (day !== this.#day) {
      this.#closeTally()
      this.#day = day
    }
    let ofKey = this.#tally.get(keyId)
    if (!ofKey) {
      ofKey = new Map()
      this.#tally.set(keyId, ofKey)
    }
    let usage = ofKey.get(operation)
    if (!usage) {
      usage = { day, accountId, keyId, operation, ...NOTHING, lastAt: now }
      ofKey.set(operation, usage)
    }
    return usage
  }

  #closeTally(): void {
    for (const ofKey of this.#tally.values()) for (const usage of ofKey.values()) this.#keep(usage)
    this.#tally = new Map()
  }

  #keep(usage: KeyUsage): void {
    const key = keyOf(usage)
    const known = this.#unsaved.get(key)
    this.#unsaved.set(key, known ? sumOf(known, usage) : usage)
  }

  #firstUnsaved(): KeyUsage[] {
    return [...this.#unsaved.values().take(SAVED_AT_ONCE)]
  }
}

const NOTHING = { admitted: 0, refused: 0, banned: 0, status2xx: 0, status3xx: 0, status4xx: 0, status5xx: 0 }

function keyOf({ day, keyId, operation }: KeyUsage): string {
  return `${day} ${keyId} ${operation}`
}

function sumOf(one: KeyUsage, other: KeyUsage): KeyUsage {
  const sum = { ...one, lastAt: Math.max(one.lastAt, other.lastAt) }
  for (const count of Object.keys(NOTHING) as (keyof typeof NOTHING)[]) sum[count] += other[count]
  return sum
}

function statusClass(status: number): 'status2xx' | 'status3xx' | 'status4xx' | 'status5xx' {
  if (status < 300) return 'status2xx'
  if (status < 400) return 'status3xx'
  return status < 500 ? 'status4xx' : 'status5xx'
}
