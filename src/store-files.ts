import type { Config } from './config.ts'
import { Mistake } from './domain/errors.ts'
import { type Backup, type BackupOptions, backupStore } from './sqlite/backup.ts'
import { ensureIsForeign } from './sqlite/own-files.ts'
import { type Restored, type RestoreOptions, type Restorer, restoreStore } from './sqlite/restore.ts'

export type { Holdings } from './sqlite/inspect.ts'
export type { Backup, Restored }

/**
 * Backs up the store that the settings name.
 * @throws Mistake also when it is not the embedded one
 */
export async function backUp(
  { databaseUrl, dataFolder, deployment }: Config,
  file: string,
  now: number,
  options?: BackupOptions,
): Promise<Backup> {
  if (databaseUrl !== undefined) throw notEmbedded('back it up with pg_dump, or as its provider does')
  return backupStore(dataFolder, deployment, file, now, options)
}

/**
 * Makes a backup the store that the settings name.
 * @throws Mistake also when it is not the embedded one
 */
export async function restore(
  { databaseUrl, dataFolder, deployment }: Config,
  file: string,
  restorer: Restorer,
  options?: RestoreOptions,
): Promise<Restored> {
  if (databaseUrl !== undefined) throw notEmbedded('restore it with pg_restore, or as its provider does')
  return restoreStore(dataFolder, deployment, file, restorer, options)
}

/**
 * No command writes over a file of the embedded store, even while the settings name another one.
 * @throws Mistake when that is where a path leads
 */
export function ensureIsNoStoreFile({ dataFolder }: Config, file: string): void {
  ensureIsForeign(dataFolder, file)
}

/** @param instead what to do with a store in PostgreSQL, whose own tools know it best */
function notEmbedded(instead: string): Mistake {
  return new Mistake(
    'invalid',
    `The store is in PostgreSQL (PETSTORE_DATABASE_URL): ${instead}; docs/operations.md tells how.`,
  )
}
