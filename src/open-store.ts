import type { Config } from './config.ts'
import type { Store } from './domain/store.ts'
import { SqliteStore } from './sqlite/store.ts'

/**
 * Opens the store that the settings name: all that a command needs which does not serve.
 * @param onCommit is told how many writes each commit had, and how many milliseconds it took
 */
export function openStore(
  { dataFolder, deployment }: Config,
  onCommit?: (writes: number, milliseconds: number) => void,
): Promise<Store> {
  return SqliteStore.open(dataFolder, deployment, onCommit)
}
