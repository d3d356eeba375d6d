import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findAbandoned } from '../../files/partial-file.ts'
import { databaseFile, folderOfStore } from './store-files.ts'

/** What killed commands left in a data folder, and next to the database if that is a link. */
export function findLeftovers(folder: string): string[] {
  // Restores of release 1.1.0 left such a folder.
  const restores = readdirSync(folder).filter(name => name.startsWith('restoring-'))
  const places = new Set([dirname(databaseFile(folder)), folderOfStore(folder)])
  return [...restores.map(name => join(folder, name)), ...[...places].flatMap(findAbandoned)]
}

/** Removes them as far as permissions allow. The caller holds the serving lock, so no restore is running. */
export function removeLeftovers(folder: string): void {
  try {
    for (const path of findLeftovers(folder)) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // They only take up space, and doctor reports them: not a reason to refuse to start.
  }
}
