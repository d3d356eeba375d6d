import { statSync } from 'node:fs'
import type { Config } from './config.ts'
import type { Store } from './domain/store.ts'
import { databaseFile } from './sqlite/connection.ts'
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

/** Whether there is a store, of whatever kind, where the settings say. One that cannot be looked at is there: opening it tells why. */
export function hasStore({ dataFolder }: Config): boolean {
  try {
    return statSync(databaseFile(dataFolder), { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}
