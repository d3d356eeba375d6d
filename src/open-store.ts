import type { Config } from './config.ts'
import type { Store } from './domain/store.ts'
import { SqliteStore } from './sqlite/store.ts'

/** Opens the store that the settings name: all that a command needs which does not serve. */
export function openStore({ dataFolder, deployment }: Config): Promise<Store> {
  return SqliteStore.open(dataFolder, deployment)
}
