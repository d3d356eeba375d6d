import { conflict, type UserError } from '../domain/errors.ts'
import { type Backup, type BackupOptions, backupStore } from '../sqlite/backup/backup.ts'
import { type RestoreOptions, type RestoreReport, type Restorer, restoreStore } from '../sqlite/backup/restore.ts'
import type { Config } from './config.ts'

export type { Holdings } from '../sqlite/backup/inspect.ts'
export { ensureNotStoreFile } from '../sqlite/data-folder/store-files.ts'
export type { Backup, RestoreReport }

/** @throws UserError also when the store is in PostgreSQL */
export async function backUp(
  { databaseUrl, dataFolder, deployment }: Config,
  file: string,
  now: number,
  options?: BackupOptions,
): Promise<Backup> {
  if (databaseUrl !== undefined) throw inPostgres("back it up with pg_dump or your provider's backups")
  return backupStore(dataFolder, deployment, file, now, options)
}

/** @throws UserError also when the store is in PostgreSQL */
export async function restore(
  { databaseUrl, dataFolder, deployment }: Config,
  file: string,
  restorer: Restorer,
  options?: RestoreOptions,
): Promise<RestoreReport> {
  if (databaseUrl !== undefined) throw inPostgres("restore it with pg_restore or your provider's backups")
  return restoreStore(dataFolder, deployment, file, restorer, options)
}

function inPostgres(remedy: string): UserError {
  return conflict(
    `The store is in PostgreSQL (PETSTORE_DATABASE_URL): ${remedy}; see docs/operations/postgresql-backups.md.`,
  )
}
