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
  readonly #changedAt = new Map<string, number>()

  /** At which number the caller last changed, as far as it is known; it has not changed since. */
  lastChangeOf({ accountId, keyId }: CallerIds): number {
    const of = (id: string) => this.#changedAt.get(id) ?? 0
    return Math.max(this.#allChangedAt, of(`account ${accountId}`), of(`key ${keyId}`))
  }

  add({ account_id, key_id }: CallerChange, at: number): void {
    this.#changedAt.set(account_id === null ? `key ${key_id}` : `account ${account_id}`, at)
    if (this.#changedAt.size > MAX_REMEMBERED) this.addAll(at)
  }

  addAll(at: number): void {
    this.#allChangedAt = at
    this.#changedAt.clear()
  }
}
