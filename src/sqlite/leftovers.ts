import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { leftParts } from '../files/parts.ts'

/** Where a restore makes its copy, in the folder of the store. */
export const WORKSHOP = 'restoring-'

/** What commands that were killed have left in a store's folder. A restore that is running has one of them, and the folder's lock. */
export function findLeftovers(folder: string): string[] {
  if (!existsSync(folder)) return []
  const workshops = readdirSync(folder).filter(name => name.startsWith(WORKSHOP))
  return [...workshops.map(name => join(folder, name)), ...leftParts(folder)]
}

/** Removes them, as far as this user may. The caller has the folder's lock, so that no restore is running. */
export function removeLeftovers(folder: string): void {
  try {
    for (const path of findLeftovers(folder)) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // They take room, and doctor reports them: no reason not to start.
  }
}
