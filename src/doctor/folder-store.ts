import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { databaseFile } from '../sqlite/connection.ts'
import { findFile } from '../sqlite/find-file.ts'
import { listMigrations } from '../sqlite/format.ts'
import { type Holdings, inspectStore, readState } from '../sqlite/inspect.ts'
import { ensureKnown } from '../sqlite/known-store.ts'
import { ensureNotMoved } from '../sqlite/moved.ts'
import { checkClock } from './clock.ts'
import { checkDisk } from './disk.ts'
import type { Finding } from './finding.ts'
import { checkFolder } from './folder.ts'
import { checkLeftovers } from './leftovers.ts'
import { checkService } from './service.ts'
import { checkStore } from './store.ts'
import { checkTokens } from './tokens.ts'
import { checkVersions } from './versions.ts'
import { checkWriting } from './writing.ts'

/** Checks the embedded store, and what it stands on. */
export function examineFolder(folder: string, deployment: Deployment | undefined, now: number): Finding[] {
  const holdings = inspect(folder, now)
  const sound = holdings instanceof Mistake ? undefined : holdings
  const engine = `SQLite ${process.versions.sqlite}`
  return [
    ...checkFolder(folder),
    ...checkLeftovers(folder),
    checkStore(folder, holdings, deployment),
    ...(sound ? [checkWriting(folder)] : []),
    checkVersions({ engine, newest: listMigrations().length, own: sound?.version }),
    checkDisk(folder),
    checkClock(now, sound?.newestTime),
    checkService(folder),
    ...(sound ? [checkTokens(sound)] : []),
  ]
}

/** What the store holds, or why that cannot be told; nothing where there is no store yet. */
function inspect(folder: string, now: number): Holdings | Mistake | undefined {
  try {
    ensureNotMoved(folder)
    const file = databaseFile(folder)
    const isThere = findFile(file) !== undefined
    ensureKnown(file, isThere ? readState(file) : undefined)
    return isThere ? inspectStore(file, now) : undefined
  } catch (error) {
    if (error instanceof Mistake) return error
    throw error
  }
}
