import type { IdempotentRequest } from './idempotency.ts'

/** Of an operator, it has no account. */
type KeyedRequest = Pick<IdempotentRequest, 'key' | 'fingerprint'> & { accountId?: bigint }

/** The creations with an idempotency key that are in progress in this process: a second request for one of them is answered immediately. */
export class RunningRequests {
  /** Fingerprints, by account and key. */
  readonly #running = new Map<string, string>()

  async carryOut<Creation>(
    { accountId, key, fingerprint }: KeyedRequest,
    create: () => Promise<Creation>,
  ): Promise<Creation | { outcome: 'in_progress' | 'mismatch' }> {
    const slot = `${accountId} ${key}`
    const running = this.#running.get(slot)
    if (running !== undefined) return { outcome: running === fingerprint ? 'in_progress' : 'mismatch' }
    this.#running.set(slot, fingerprint)
    try {
      return await create()
    } finally {
      this.#running.delete(slot)
    }
  }
}
