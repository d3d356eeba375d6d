import type { Caller } from '../domain/account.ts'
import { type Ban, type BanPolicy, isInForce, MAX_BANS, nextBan } from '../domain/ban.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import type { AccountStore } from '../domain/store/accounts.ts'

/** Stores the bans that sources earn, and knows those that are being stored: callers do not have them yet. */
export class NewBans {
  readonly #store: AccountStore
  readonly #policy: BanPolicy
  readonly #onFailure: (error: unknown) => void
  readonly #storing: { keyId: bigint; source: string; stored: Promise<Ban | undefined> }[] = []

  constructor(store: AccountStore, policy: BanPolicy, onFailure: (error: unknown) => void) {
    this.#store = store
    this.#policy = policy
    this.#onFailure = onFailure
  }

  get isEmpty(): boolean {
    return this.#storing.length === 0
  }

  /** Whether the key has as many bans as it may have. */
  isFull({ keyId, bans }: Caller, now: number): boolean {
    const inForce = bans.filter(ban => isInForce(ban, now))
    return inForce.length + this.#storing.filter(ban => ban.keyId === keyId).length >= MAX_BANS
  }

  /** The ban of the key for the source, while it is being stored. */
  find(keyId: bigint, source: string): Promise<Ban | undefined> | undefined {
    return this.#storing.find(ban => ban.keyId === keyId && ban.source === source)?.stored
  }

  /**
   * Stores the ban that the source has earned with a refused call. Never rejects.
   * @returns undefined if the key has as many bans as it may have, or if the ban cannot be stored
   */
  store(caller: Caller, source: string, refused: Decision): Promise<Ban | undefined> {
    const stored = this.#create(caller, source, refused)
    const newBan = { keyId: caller.keyId, source, stored }
    this.#storing.push(newBan)
    stored.then(() => this.#storing.splice(this.#storing.indexOf(newBan), 1))
    return stored
  }

  async #create(caller: Caller, source: string, { shown, decidedAt }: Decision): Promise<Ban | undefined> {
    if (this.isFull(caller, decidedAt)) return undefined
    try {
      const last = await this.#store.findLastBan(caller.keyId, source)
      return await this.#store.createBan(caller.keyId, nextBan(last, source, shown, decidedAt, this.#policy))
    } catch (error) {
      this.#onFailure(error)
      return undefined
    }
  }
}
