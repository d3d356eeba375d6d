import { statSync } from 'node:fs'
import type { Config } from './config.ts'
import type { Store } from './domain/store.ts'
import { databaseFile } from './sqlite/connection.ts'
import { ensureWhole } from './sqlite/inspect.ts'
import { removeLeftovers } from './sqlite/leftovers.ts'
import { lockForServing } from './sqlite/serving-lock.ts'
import { SqliteStore } from './sqlite/store.ts'

/** A store, and how many instances of the service share it. */
export interface ServedStore {
  store: Store
  /** Where it is, without a password that may stand in the settings. */
  name: string
  /** At least 1, this one. */
  instances(): number
  close(): Promise<void>
}

/** What is told of a store that serves. */
export interface StoreWatch {
  /** How many writes a commit had, and how many milliseconds it took. */
  committed(writes: number, milliseconds: number): void
  /** What other instances change is not told any more; what is kept is looked up again after a few seconds. */
  pushLost(error: unknown): void
  /** What other instances change is told again. */
  pushReturned(): void
}

/** Opens the store that the settings name, for a command. */
export async function openStore({ databaseUrl, dataFolder, deployment }: Config): Promise<Store> {
  if (databaseUrl === undefined) return SqliteStore.open(dataFolder, deployment)
  const { PostgresStore } = await import('./postgres/store.ts')
  return PostgresStore.open(databaseUrl, deployment)
}

/**
 * Opens the store that the settings name, to serve.
 * @throws Mistake also when another instance serves on it that this one would count against
 */
export async function openStoreToServe(config: Config, watch: StoreWatch): Promise<ServedStore> {
  const { databaseUrl, dataFolder, redisUrls, deployment } = config
  if (databaseUrl !== undefined) {
    const { PostgresStore } = await import('./postgres/store.ts')
    const company = redisUrls.length > 0 ? 'shared' : 'alone'
    const store = await PostgresStore.open(databaseUrl, deployment, { company, watch })
    return { store, name: store.name, instances: () => store.instances, close: () => store.close() }
  }
  // Before the store is opened: a service of an older version must not find its tables changed.
  const unlock = lockForServing(dataFolder)
  try {
    removeLeftovers(dataFolder)
    ensureWhole(databaseFile(dataFolder))
    const store = await SqliteStore.open(dataFolder, deployment, watch.committed)
    const close = () => {
      store.remember()
      return store.close().finally(unlock)
    }
    return { store, name: dataFolder, instances: () => 1, close }
  } catch (error) {
    unlock()
    throw error
  }
}

/**
 * Whether there is a store, of whatever kind, where the settings say. One that cannot be looked at is there: opening it tells why.
 */
export function hasStore({ databaseUrl, dataFolder }: Config): boolean {
  if (databaseUrl !== undefined) return true
  try {
    return statSync(databaseFile(dataFolder), { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}
