import { statSync } from 'node:fs'
import type { PetTransfer } from '../src/domain/pet-transfer.ts'
import type { Store } from '../src/domain/store.ts'
import { inspectDatabase } from '../src/postgres/inspect.ts'
import { openPostgresTransfer } from '../src/postgres/pet-transfer.ts'
import { PostgresStore } from '../src/postgres/store.ts'
import { connect } from '../src/sqlite/connection.ts'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { openSqliteTransfer } from '../src/sqlite/pet-transfer.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { emptyFolder } from './stock.ts'

/** A store that is filled step by step, for one run. */
export interface GrowingStore extends AsyncDisposable {
  store: Store
  transfer: PetTransfer
  /** Its size on the disk. */
  bytes(): Promise<number>
  /** Opens it again, as a starting service does. */
  open(): Promise<Store>
}

/** An embedded store in a temporary folder. */
export async function openEmbedded(): Promise<GrowingStore> {
  const folder = emptyFolder()
  const open = () => SqliteStore.open(folder.path, 'production')
  const store = await open()
  return {
    store,
    open,
    transfer: await openSqliteTransfer(folder.path, 'production'),
    async bytes() {
      using database = connect(databaseFile(folder.path))
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      return statSync(databaseFile(folder.path)).size
    },
    async [Symbol.asyncDispose]() {
      await store.close()
      folder[Symbol.dispose]()
    },
  }
}

/** @param url of an empty database, which keeps what the run has stored */
export async function openPostgres(url: string): Promise<GrowingStore> {
  const open = () => PostgresStore.open(url, 'production')
  const store = await open()
  return {
    store,
    open,
    transfer: await openPostgresTransfer(url, 'production'),
    async bytes() {
      const { store: stored } = await inspectDatabase(url, Date.now())
      if (!stored || stored instanceof Error) throw new Error('The store cannot be inspected.', { cause: stored })
      return stored.bytes
    },
    [Symbol.asyncDispose]: () => store.close(),
  }
}
