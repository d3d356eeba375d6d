import { statSync } from 'node:fs'
import type { StoreWatch } from '../domain/store/watch.ts'
import type { Store } from '../domain/store.ts'
import { ensureNotCutShort } from '../sqlite/backup/ensure-not-cut-short.ts'
import { readMaker } from '../sqlite/backup/inspect.ts'
import { removeLeftovers } from '../sqlite/data-folder/leftovers.ts'
import { databaseFile } from '../sqlite/data-folder/store-files.ts'
import { ensureWholeLog } from '../sqlite/data-folder/whole-log.ts'
import { isCurrentFile } from '../sqlite/prepare-database.ts'
import { lockForServing } from '../sqlite/serving-lock.ts'
import { SqliteStore, type SqliteStoreOptions } from '../sqlite/store.ts'
import type { Config } from './config.ts'
import { spoolOnDisk } from './temporary-folder.ts'

/** A store, and the number of service instances that share it. */
interface ServedStore {
  store: Store
  /** Its folder or database, without the password. */
  name: string
  /** At least 1: this instance. */
  instances(): number
  /** Learns what others have changed, immediately. */
  renew(): void
  close(): Promise<void>
}

/** How an embedded store works; by default as a service needs it. */
export type EmbeddedOptions = Pick<SqliteStoreOptions, 'inThreads' | 'busyTimeoutMs'>

/** Opens the store that the settings name, for a command. */
export async function openStore(config: Config): Promise<Store> {
  const { databaseUrl, dataFolder, deployment } = config
  spoolOnDisk(config)
  if (databaseUrl === undefined) return SqliteStore.open(dataFolder, deployment, { inThreads: false })
  const { PostgresStore } = await import('../postgres/store.ts')
  return PostgresStore.open(databaseUrl, deployment)
}

/** Opens the store that the settings name, unless that would create or upgrade it. */
export async function openCurrentStore(config: Config): Promise<Store | undefined> {
  return (await isCurrent(config)) ? openStore(config) : undefined
}

async function isCurrent({ databaseUrl, dataFolder }: Config): Promise<boolean> {
  if (databaseUrl === undefined) return isCurrentFile(databaseFile(dataFolder))
  const { isCurrentDatabase } = await import('../postgres/migrate.ts')
  return isCurrentDatabase(databaseUrl)
}

/** @throws UserError also when another instance serves the same store and counts calls separately */
export async function openStoreToServe(
  config: Config,
  watch: StoreWatch,
  embedded: EmbeddedOptions = {},
): Promise<ServedStore> {
  const { databaseUrl, dataFolder, redisUrls, deployment } = config
  spoolOnDisk(config)
  if (databaseUrl !== undefined) {
    const { PostgresStore } = await import('../postgres/store.ts')
    const instances = redisUrls.length > 0 ? 'many' : 'single'
    const store = await PostgresStore.open(databaseUrl, deployment, { instances, watch })
    const renew = () => store.renew()
    return { store, name: store.name, instances: () => store.instances, renew, close: () => store.close() }
  }
  // Locked before it is opened: a running service of an older version must not find its tables changed.
  await using opened = new AsyncDisposableStack()
  opened.defer(lockForServing(dataFolder))
  removeLeftovers(dataFolder)
  // Must come first: once the store is opened, SQLite discards the information how long its log was.
  ensureWholeLog(dataFolder)
  ensureNotCutShort(databaseFile(dataFolder))
  const store = await SqliteStore.open(dataFolder, deployment, { ...embedded, onCommit: watch.committed })
  opened.defer(() => store.close())
  const serving = opened.move()
  const close = async () => {
    store.remember()
    await serving.disposeAsync()
  }
  return { store, name: dataFolder, instances: () => 1, renew() {}, close }
}

/** Whether the store that the settings name exists. Returns true if that is unknown: opening it reports why. */
export function hasStore({ databaseUrl, dataFolder }: Config): boolean {
  if (databaseUrl !== undefined) return true
  try {
    return statSync(databaseFile(dataFolder), { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

/** Who made the store that the settings name, whatever its version; null if there is none, or nothing in it. Changes nothing. */
export async function findMaker(config: Config): Promise<string | null> {
  if (config.databaseUrl === undefined) return hasStore(config) ? readMaker(config.dataFolder) : null
  const postgres = await import('../postgres/inspect.ts')
  return postgres.readMaker(config.databaseUrl)
}
