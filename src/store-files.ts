import type { Config } from './config.ts'
import { type Backup, type BackupOptions, backupStore } from './sqlite/backup.ts'
import { type Restored, type RestoreOptions, type Restorer, restoreStore } from './sqlite/restore.ts'

export type { Holdings } from './sqlite/inspect.ts'
export type { Backup, Restored }

/** Backs up the store that the settings name. */
export function backUp(
  { dataFolder, deployment }: Config,
  file: string,
  now: number,
  options?: BackupOptions,
): Promise<Backup> {
  return backupStore(dataFolder, deployment, file, now, options)
}

/** Makes a backup the store that the settings name. */
export function restore(
  { dataFolder, deployment }: Config,
  file: string,
  restorer: Restorer,
  options?: RestoreOptions,
): Promise<Restored> {
  return restoreStore(dataFolder, deployment, file, restorer, options)
}
