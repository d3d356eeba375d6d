import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../domain/store.ts'
import { databaseFile } from '../sqlite/data-folder/store-files.ts'
import { backUp } from './backup-restore.ts'
import type { Config } from './config.ts'
import { hasStore, openCurrentStore, openStore } from './open-store.ts'

/** A copy of a larger store would take long. */
const MAX_COPY_BYTES = 64 * 1024 ** 2

/**
 * Reads the store that the settings name, without changing it: of an embedded store of an earlier version, a copy is upgraded and read.
 * @param read must not write
 * @returns 'none' if there is no store; 'unreadable' for a store of an earlier version that is too large, or in PostgreSQL
 */
export async function peekIntoStore<Result>(
  config: Config,
  read: (store: Store) => Promise<Result>,
): Promise<Result | 'none' | 'unreadable'> {
  const current = await openCurrentStore(config)
  if (current) return readAndClose(current, read)
  if (config.databaseUrl !== undefined) {
    const { hasStoreTables } = await import('../postgres/migrate.ts')
    return (await hasStoreTables(config.databaseUrl)) ? 'unreadable' : 'none'
  }
  if (!hasStore(config)) return 'none'
  if ((await stat(databaseFile(config.dataFolder))).size > MAX_COPY_BYTES) return 'unreadable'
  const dataFolder = await mkdtemp(join(tmpdir(), 'petstore-peek-'))
  try {
    await backUp(config, databaseFile(dataFolder), Date.now())
    return await readAndClose(await openStore({ ...config, dataFolder }), read)
  } finally {
    await rm(dataFolder, { recursive: true, force: true })
  }
}

async function readAndClose<Result>(store: Store, read: (store: Store) => Promise<Result>): Promise<Result> {
  try {
    return await read(store)
  } finally {
    await store.close()
  }
}
