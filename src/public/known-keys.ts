import { setImmediate } from 'node:timers/promises'
import type { AccountStore } from '../domain/store/accounts.ts'

/** Hashes per read: a millisecond of work before other calls can run. */
const PAGE_SIZE = 1_000
/** Keys created at the same time may become visible out of order of their ids. */
const OVERLAP = 256n

/**
 * The hashes of all keys, so that an invented key is recognized without querying the store. About 170 bytes per key. Hashes never change,
 * so only new ones have to be read after a change.
 */
export class KnownKeys {
  readonly #store: Pick<AccountStore, 'revision' | 'listKeyHashes'>
  readonly #hashes = new Set<string>()
  #newestId = 0n
  /** The revision up to which all keys have been read. */
  #revision: number | undefined
  #reading: Promise<void> | undefined

  constructor(store: Pick<AccountStore, 'revision' | 'listKeyHashes'>) {
    this.#store = store
  }

  /** Whether the store may have a key with this hash. @throws StoreUnavailable */
  async mayHave(hash: string): Promise<boolean> {
    if (!this.#hashes.has(hash)) await this.#readNew()
    return this.#hashes.has(hash)
  }

  /** The store no longer has this key, and never will again. If a read in progress adds it again, that only costs another lookup. */
  delete(hash: string): void {
    this.#hashes.delete(hash)
  }

  async #readNew(): Promise<void> {
    if (this.#isCurrent()) return
    // A read in progress may have begun before the newest key was created.
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
      const page = await this.#store.listKeyHashes({ afterId, limit: PAGE_SIZE })
      for (const { id, hash } of page) {
        this.#hashes.add(hash)
        afterId = id
      }
      if (page.length < PAGE_SIZE) break
      await setImmediate()
    }
    if (afterId > this.#newestId) this.#newestId = afterId
    this.#revision = revision
  }
}
