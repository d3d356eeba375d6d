import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Store } from '../domain/store.ts'

/** How many hashes are read at once: a millisecond's work, after which other calls have their turn. */
const PAGE = 1_000
/** Keys that are made at the same time need not show in the order of their ids. */
const OVERLAP = 256n
/** How many deleted keys are remembered whose holders still call. */
const REMEMBERED_DELETED = 1_000

/**
 * The hashes of all keys, so that a key that was made up is recognized without asking the store. Some 70 bytes a key. Keys are
 * never changed, so only new ones have to be read when something has changed.
 */
export class KnownKeys {
  readonly #store: Pick<Store, 'revision' | 'listKeyHashes'>
  readonly #hashes = new Set<string>()
  readonly #deleted = new LRUCache<string, true>({ max: REMEMBERED_DELETED })
  #newestId = 0n
  /** Whatever was there at this revision has been read. */
  #revision: number | undefined
  #reading: Promise<void> | undefined

  constructor(store: Pick<Store, 'revision' | 'listKeyHashes'>) {
    this.#store = store
  }

  /** Whether a key of this hash may be in the store. @throws StoreUnavailable */
  async mayHave(hash: string): Promise<boolean> {
    if (!this.#hashes.has(hash)) await this.#readNew()
    return this.#hashes.has(hash) && !this.#deleted.has(hash)
  }

  /** The store does not have it any longer, and never will again. */
  delete(hash: string): void {
    this.#deleted.set(hash, true)
  }

  async #readNew(): Promise<void> {
    if (this.#isCurrent()) return
    // This may have begun before the newest key was made.
    await this.#reading?.catch(() => {})
    if (this.#isCurrent()) return
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    await this.#reading
  }

  #isCurrent(): boolean {
    return this.#revision === this.#store.revision().callers
  }

  async #read(): Promise<void> {
    const revision = this.#store.revision().callers
    let afterId = this.#newestId > OVERLAP ? this.#newestId - OVERLAP : 0n
    for (;;) {
      const page = await this.#store.listKeyHashes({ afterId, limit: PAGE })
      for (const { id, hash } of page) {
        this.#hashes.add(hash)
        afterId = id
      }
      if (page.length < PAGE) break
      await setImmediate()
    }
    if (afterId > this.#newestId) this.#newestId = afterId
    this.#revision = revision
  }
}
