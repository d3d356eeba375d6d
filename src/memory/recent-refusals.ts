import { randomInt } from 'node:crypto'
import { MAX_REFUSALS, type RefusedCall } from '../domain/refusals.ts'
import type { RefusalStore } from '../domain/store/refusals.ts'
import { decodeSent, encodedForLog } from '../domain/untrusted-text.ts'

/** How many calls are kept until the next save, over all keys. One batch stores them. */
const MAX_CALLS = 1_000
const MAX_PATH = 500
const MAX_USER_AGENT = 200
/** Low enough for the sequence to stay an exact number. */
const SEQUENCE_STARTS = 2 ** 47

/** A refused call with the path and the user agent as they were sent. */
type SentCall = Omit<RefusedCall, 'sequence'>

/** Keeps the newest refused calls of each key in memory until the next save. Most calls of a flood are dropped before then, and cost no more than that. */
export class RecentRefusals {
  readonly #store: Pick<RefusalStore, 'addRefusals'>
  /** Other instances begin elsewhere. */
  #sequence = randomInt(SEQUENCE_STARTS)
  #callsOf = new Map<bigint, SentCall[]>()
  #count = 0
  /** Shrinks while there are many keys, so that a flood of some leaves room for the others. */
  #maxOfKey = MAX_REFUSALS
  /** The calls that are being stored, or that may have been stored although that failed. */
  #batch: RefusedCall[] = []

  constructor(store: Pick<RefusalStore, 'addRefusals'>) {
    this.#store = store
  }

  add(call: SentCall): void {
    const calls = this.#callsOf.getOrInsertComputed(call.keyId, () => [])
    calls.push(call)
    if (calls.length > this.#maxOfKey) calls.shift()
    else this.#count += 1
    while (this.#count > MAX_CALLS) this.#makeRoom()
  }

  /** Stores the calls since the last save, if any. If that fails, the next save begins with the same batch. */
  async save(): Promise<void> {
    await this.#saveBatch()
    this.#batch = this.#takeAll()
    await this.#saveBatch()
  }

  async #saveBatch(): Promise<void> {
    if (this.#batch.length === 0) return
    await this.#store.addRefusals(this.#batch)
    this.#batch = []
  }

  #takeAll(): RefusedCall[] {
    const calls = [...this.#callsOf.values()].flat()
    this.#callsOf = new Map()
    this.#count = 0
    this.#maxOfKey = MAX_REFUSALS
    return calls.map(call => {
      this.#sequence += 1
      const userAgent = call.userAgent && encodedForLog(decodeSent(call.userAgent), MAX_USER_AGENT)
      return { ...call, sequence: this.#sequence, path: encodedForLog(call.path, MAX_PATH), userAgent }
    })
  }

  /** Halves the calls kept of each key; once there is only one of each, forgets the key that was refused first. */
  #makeRoom(): void {
    if (this.#maxOfKey === 1) {
      for (const keyId of this.#callsOf.keys().take(1)) this.#callsOf.delete(keyId)
      this.#count -= 1
      return
    }
    this.#maxOfKey = Math.floor(this.#maxOfKey / 2)
    for (const calls of this.#callsOf.values()) this.#count -= calls.splice(0, calls.length - this.#maxOfKey).length
  }
}
