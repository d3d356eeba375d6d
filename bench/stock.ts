import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createAccount } from '../src/domain/administration/accounts.ts'
import { issueKey } from '../src/domain/administration/keys.ts'
import { COMMAND_LINE } from '../src/domain/audit.ts'
import { formatCursor } from '../src/domain/cursor.ts'
import { PET_STATUSES } from '../src/domain/pet.ts'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { SqliteStore } from '../src/sqlite/store.ts'

/** A temporary folder with a closed store. */
export interface Stock extends Disposable {
  folder: string
  /** The key of an account with practically unlimited calls. */
  key: string
  cursorSecret: Uint8Array
}

/** Far longer than indexing ten million animals takes. */
const INDEX_FOR_MS = 600_000
const UNLIMITED = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }

/** Creates a store with animals whose ids are 1 to `animals`. */
export async function stock(animals: number): Promise<Stock> {
  const folder = emptyFolder()
  const store = await SqliteStore.open(folder.path, 'production')
  const actor = { name: 'bench', origin: COMMAND_LINE }
  const context = { store, deployment: 'production', actor, now: Date.now() } as const
  const account = await createAccount(context, { name: 'bench', plan: 'enterprise', limits: UNLIMITED })
  const { key } = await issueKey(context, { account: String(account.id) })
  using database = new DatabaseSync(databaseFile(folder.path))
  insertAnimals(database, animals)
  // Otherwise, the service would index in the background during the measurement.
  await store.indexPets({ minAnimals: 1, maxMs: INDEX_FOR_MS })
  await store.close()
  return {
    folder: folder.path,
    key,
    cursorSecret: store.cursorSecret,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

/** More pages than the service caches, so that nearly every page is read from the store. */
const COLD_PAGES = 40_000

/**
 * Addresses of pages at random depth. The service ignores `n`, but caches answers by the whole query: each address counts as a different page,
 * even if there are fewer animals than pages.
 */
export function coldPages(stock: Stock, animals: number, limit?: number): string[] {
  return Array.from({ length: COLD_PAGES }, (_, index) => {
    const afterId = BigInt(Math.floor(Math.random() * animals))
    const cursor = formatCursor({ status: undefined, afterId }, stock.cursorSecret)
    return `/v1/pets?${limit === undefined ? '' : `limit=${limit}&`}cursor=${cursor}&n=${index}`
  })
}

/** A temporary folder in TMPDIR, which should be on a disk. */
export function emptyFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) }
}

/** Inserts animals with the ids 1 to `animals` into a table `pet`. */
export function insertAnimals(database: DatabaseSync, animals: number): void {
  const insert = database.prepare('INSERT INTO pet (name, category_id, status) VALUES (?, ?, ?)')
  database.exec('BEGIN')
  for (let number = 1; number <= animals; number++) {
    insert.run(`Some animal ${number}`, number % 7, PET_STATUSES[number % 3] as string)
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
}
