import type { CallerIds } from '../domain/store/revision.ts'

/** A row of `caller_change`: the number of the change, and what it was about. */
export interface CallerChange {
  number: bigint
  account_id: bigint | null
  key_id: bigint | null
}

/** How many changed accounts and keys are remembered one by one; with more, all callers count as changed. */
const MAX_REMEMBERED = 10_000

/** Which callers have changed since they were read. Its numbers are those of `Revision.callers`. */
export class ChangedCallers {
  #allChangedAt = 0
  readonly #accounts = new Map<bigint | null, number>()
  readonly #keys = new Map<bigint | null, number>()

  /** At which number the caller last changed, as far as it is known; it has not changed since. */
  lastChangeOf({ accountId, keyId }: CallerIds): number {
    return Math.max(this.#allChangedAt, this.#accounts.get(accountId) ?? 0, this.#keys.get(keyId) ?? 0)
  }

  add({ account_id, key_id }: CallerChange, at: number): void {
    if (account_id === null) this.#keys.set(key_id, at)
    else this.#accounts.set(account_id, at)
    if (this.#accounts.size + this.#keys.size > MAX_REMEMBERED) this.addAll(at)
  }

  addAll(at: number): void {
    this.#allChangedAt = at
    this.#accounts.clear()
    this.#keys.clear()
  }
}
