import { existsSync } from 'node:fs'
import { conflict } from '../../domain/errors.ts'
import { findLasting } from '../pause.ts'
import { isServedByAnother } from '../serving-lock.ts'
import { databaseFile, logFile } from './store-files.ts'

/** Longer than a service needs between acquiring its lock and opening its files. */
const LOST_AFTER_MS = 2_000

/**
 * Makes sure that the store in the folder is the one that the running service has open. Otherwise a command would use another store.
 * @throws UserError when a service is running on the folder, and the database or its log is missing
 */
export function ensureServedFiles(folder: string): void {
  const lost = findLostFile(folder)
  if (lost) throw conflict(`A service is running on the folder ${folder}, but ${lost}.`)
}

/** Describes a missing file of a running service. While a service starts or stops, its files are missing for a moment. */
export function findLostFile(folder: string): string | undefined {
  const lost = findLasting(LOST_AFTER_MS, () => {
    const file = databaseFile(folder)
    const missing = [file, logFile(file)].find(path => !existsSync(path))
    return missing && isServedByAnother(folder) ? missing : undefined
  })
  return lost && `its file ${lost} is missing; restart the service, or wait for the end of a restore`
}
