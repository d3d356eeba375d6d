import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createAccount, issueKey } from '../src/domain/administration.ts'
import { PET_STATUSES } from '../src/domain/pet.ts'
import { databaseFile } from '../src/sqlite/connection.ts'
import { SqliteStore } from '../src/sqlite/store.ts'

/** A folder with a store in it that nobody has opened yet; it goes away with whoever asked for it. */
export interface Stock extends Disposable {
  folder: string
  /** Of an account that no limit stops. */
  key: string
  cursorSecret: Uint8Array
}

const UNLIMITED = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }

/** Makes a store with this many animals, ids 1 to `animals`. */
export async function stock(animals: number): Promise<Stock> {
  const folder = emptyFolder()
  const store = await SqliteStore.open(folder.path, 'production')
  const now = Date.now()
  const account = await createAccount(store, { name: 'bench', plan: 'enterprise', limits: UNLIMITED }, now)
  const { key } = await issueKey(store, 'production', { account: String(account.id) }, now)
  await store.close()
  insertAnimals(folder.path, animals)
  return {
    folder: folder.path,
    key,
    cursorSecret: store.cursorSecret,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

/** In the system's folder for temporary files (TMPDIR), which should be on a disk. */
export function emptyFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) }
}

function insertAnimals(folder: string, animals: number): void {
  const database = new DatabaseSync(databaseFile(folder))
  const insert = database.prepare('INSERT INTO pet (name, category_id, status) VALUES (?, ?, ?)')
  database.exec('BEGIN')
  for (let number = 1; number <= animals; number++) {
    insert.run(`Some animal ${number}`, number % 7, PET_STATUSES[number % 3] as string)
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}
