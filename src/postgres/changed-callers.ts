import { LRUCache } from 'lru-cache'
import type { CallerIds } from '../domain/store/revision.ts'

/** A row of `caller_change`: the number of the change, and what it was about. */
export interface CallerChange {
  number: bigint
  account_id: bigint | null
  key_id: bigint | null
}

/** How many changed accounts and keys are remembered one by one. */
const MAX_REMEMBERED = 10_000

/** Which callers have changed since they were read. Its numbers are those of `Revision.callers`. */
export class ChangedCallers {
  #allChangedAt = 0
  readonly #changedAt = new LRUCache<string, number>({
    max: MAX_REMEMBERED,
    dispose: (changedAt, _id, reason) => {
      if (reason === 'evict') this.#allChangedAt = Math.max(this.#allChangedAt, changedAt)
    },
  })

  /** At which number the caller last changed, as far as it is known; it has not changed since. */
  lastChangeOf({ accountId, keyId }: CallerIds): number {
    const of = (id: string) => this.#changedAt.get(id) ?? 0
    return Math.max(this.#allChangedAt, of(`account ${accountId}`), of(`key ${keyId}`))
  }

  add({ account_id, key_id }: CallerChange, at: number): void {
    this.#changedAt.set(account_id === null ? `key ${key_id}` : `account ${account_id}`, at)
  }

  addAll(at: number): void {
    this.#allChangedAt = at
  }
}
