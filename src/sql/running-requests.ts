import type { IdempotentRequest } from '../domain/idempotency.ts'
import type { Creation } from '../domain/store/animals.ts'

/** The creations with an idempotency key that are in progress in this process: a second request for one of them is answered immediately. */
export class RunningRequests {
  /** Fingerprints, by account and key. */
  readonly #running = new Map<string, string>()

  async carryOut(request: IdempotentRequest, create: () => Promise<Creation>): Promise<Creation> {
    const slot = `${request.accountId} ${request.key}`
    const running = this.#running.get(slot)
    if (running !== undefined) return { outcome: running === request.fingerprint ? 'in_progress' : 'mismatch' }
    this.#running.set(slot, request.fingerprint)
    try {
      return await create()
    } finally {
      this.#running.delete(slot)
    }
  }
}
