import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findAbandoned } from '../../files/partial-file.ts'

/** A restore creates its copy inside the data folder, in a folder with this prefix. */
export const RESTORE_FOLDER = 'restoring-'

/** What killed commands left in a data folder. Includes the folder of a running restore, which holds the serving lock. */
export function findLeftovers(folder: string): string[] {
  const restores = readdirSync(folder).filter(name => name.startsWith(RESTORE_FOLDER))
  return [...restores.map(name => join(folder, name)), ...findAbandoned(folder)]
}

/** Removes them as far as permissions allow. The caller holds the serving lock, so no restore is running. */
export function removeLeftovers(folder: string): void {
  try {
    for (const path of findLeftovers(folder)) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // They only take up space, and doctor reports them: not a reason to refuse to start.
  }
}
