import { randomUUID } from 'node:crypto'
import type { Caller } from '../domain/account.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import type { UsageStore } from '../domain/store/usage.ts'
import { hourOf, type KeyUsage, NO_CALLS, type UsageCounts } from '../domain/usage.ts'

/** Rows stored in one batch. Other writers wait for it. */
const BATCH_SIZE = 1_000

/** Counts calls by key and operation in memory until the next save. */
export class UsageTally {
  readonly #store: Pick<UsageStore, 'addUsage' | 'foldUsage'>
  readonly #writer = randomUUID()
  /** Usage to be stored, by hour, key and operation. */
  readonly #unsaved = new Map<string, KeyUsage>()
  /** The usage that is being stored, or that may have been stored although that failed. */
  #batch: KeyUsage[] = []
  #batchNumber = 0

  constructor(store: Pick<UsageStore, 'addUsage' | 'foldUsage'>) {
    this.#store = store
  }

  /** @param status of the response; undefined if the client disconnected before the response */
  add(caller: Caller, operation: string, outcome: Decision['outcome'], status: number | undefined, now: number): void {
    const { keyId, accountId } = caller
    const called = { hour: hourOf(now), accountId, keyId, operation }
    const usage = this.#unsaved.getOrInsertComputed(keyOf(called), () => ({ ...called, ...NO_CALLS, lastAt: now }))
    usage[outcome]++
    if (outcome === 'admitted' && status !== undefined) usage[statusClass(status)]++
    if (now > usage.lastAt) usage.lastAt = now
  }

  /** Stores the usage counted since the last save, if any. If that fails, the next save begins with the same batch. */
  async save({ isLast = false } = {}): Promise<void> {
    // What is counted from now on is in the next save.
    let left = this.#batch.length + this.#unsaved.size
    const isIdle = left === 0
    while (left > 0) {
      if (this.#batch.length === 0) this.#nextBatch()
      await this.#store.addUsage(this.#batch, { writer: this.#writer, number: this.#batchNumber })
      left -= this.#batch.length
      this.#batch = []
    }
    if (!isIdle || isLast) await this.#store.foldUsage({ all: isLast })
  }

  #nextBatch(): void {
    this.#batch = [...this.#unsaved.values().take(BATCH_SIZE)]
    this.#batchNumber += 1
    for (const usage of this.#batch) this.#unsaved.delete(keyOf(usage))
  }
}

function keyOf({ hour, keyId, operation }: Pick<KeyUsage, 'hour' | 'keyId' | 'operation'>): string {
  return `${hour} ${keyId} ${operation}`
}

function statusClass(status: number): keyof UsageCounts {
  if (status < 300) return 'status2xx'
  if (status < 400) return 'status3xx'
  return status < 500 ? 'status4xx' : 'status5xx'
}
