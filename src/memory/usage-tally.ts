import { randomUUID } from 'node:crypto'
import type { Caller } from '../domain/account.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import type { UsageStore } from '../domain/store/usage.ts'
import { COUNTED, hourOf, type KeyUsage, NO_CALLS, type UsageCounts } from '../domain/usage.ts'

/** Rows stored in one batch. Other writers wait for it. */
const BATCH_SIZE = 1_000

/** Counts calls by key and operation in memory until the next save. */
export class UsageTally {
  readonly #store: Pick<UsageStore, 'addUsage' | 'foldUsage'>
  readonly #writer = randomUUID()
  /** The calls of one hour, by key and operation: two lookups per call, without building a string. */
  #current = new Map<bigint, Map<string, KeyUsage>>()
  #hour = 0
  /** Usage to be stored, by hour, key and operation. */
  readonly #unsaved = new Map<string, KeyUsage>()
  /** The usage that is being stored, or that may have been stored although that failed. */
  #batch: KeyUsage[] = []
  #batchNumber = 0

  constructor(store: Pick<UsageStore, 'addUsage' | 'foldUsage'>) {
    this.#store = store
  }

  /**
   * @param status of the response; undefined if the client disconnected before the response
   * @param from the network of the client
   */
  add(
    caller: Caller,
    operation: string,
    outcome: Decision['outcome'],
    status: number | undefined,
    now: number,
    from?: string,
  ): void {
    const usage = this.#find(caller, operation, now)
    usage[outcome]++
    if (outcome === 'admitted' && status !== undefined) usage[statusClass(status)]++
    if (now < usage.lastAt) return
    usage.lastAt = now
    usage.lastFrom = from
  }

  /** Stores the usage counted since the last save, if any. If that fails, the next save begins with the same batch. */
  async save({ isLast = false } = {}): Promise<void> {
    this.#closeHour()
    if (this.#batch.length === 0) this.#nextBatch()
    const isIdle = this.#batch.length === 0
    while (this.#batch.length > 0) {
      await this.#store.addUsage(this.#batch, { writer: this.#writer, number: this.#batchNumber })
      this.#nextBatch()
    }
    if (!isIdle || isLast) await this.#store.foldUsage({ all: isLast })
  }

  #find({ keyId, accountId }: Caller, operation: string, now: number): KeyUsage {
    const hour = hourOf(now)
    if (hour !== this.#hour) {
      this.#closeHour()
      this.#hour = hour
    }
    const create = () => ({ hour, accountId, keyId, operation, ...NO_CALLS, lastAt: now, lastFrom: undefined })
    return this.#current.getOrInsertComputed(keyId, () => new Map()).getOrInsertComputed(operation, create)
  }

  #closeHour(): void {
    for (const ofKey of this.#current.values()) for (const usage of ofKey.values()) this.#keep(usage)
    this.#current = new Map()
  }

  #keep(usage: KeyUsage): void {
    const key = keyOf(usage)
    const known = this.#unsaved.get(key)
    this.#unsaved.set(key, known ? sumOf(known, usage) : usage)
  }

  #nextBatch(): void {
    this.#batch = [...this.#unsaved.values().take(BATCH_SIZE)]
    this.#batchNumber += 1
    for (const usage of this.#batch) this.#unsaved.delete(keyOf(usage))
  }
}

function keyOf({ hour, keyId, operation }: KeyUsage): string {
  return `${hour} ${keyId} ${operation}`
}

function sumOf(one: KeyUsage, other: KeyUsage): KeyUsage {
  const { lastAt, lastFrom } = other.lastAt < one.lastAt ? one : other
  const sum = { ...one, lastAt, lastFrom }
  for (const count of COUNTED) sum[count] += other[count]
  return sum
}

function statusClass(status: number): keyof UsageCounts {
  if (status < 300) return 'status2xx'
  if (status < 400) return 'status3xx'
  return status < 500 ? 'status4xx' : 'status5xx'
}
