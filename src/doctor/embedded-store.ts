import { COMMAND } from '../app/command-name.ts'
import type { Deployment } from '../domain/deployment.ts'
import { UserError } from '../domain/errors.ts'
import { findFile } from '../files/find-file.ts'
import { probeDisk } from '../files/probe-disk.ts'
import { type Holdings, hasRightIndex, inspectStore, readState } from '../sqlite/backup/inspect.ts'
import { ensureLastStore } from '../sqlite/data-folder/last-store.ts'
import { ensureNotMoved } from '../sqlite/data-folder/moved-marker.ts'
import { findLostFile } from '../sqlite/data-folder/served-files.ts'
import { databaseFile } from '../sqlite/data-folder/store-files.ts'
import { ensureWholeLog } from '../sqlite/data-folder/whole-log.ts'
import { isServing } from '../sqlite/serving-lock.ts'
import { DamagedStore } from '../sqlite/sqlite-errors.ts'
import { MIGRATIONS } from '../sqlite/store-version.ts'
import { isHeldForWriting } from '../sqlite/write-lock.ts'
import { checkClock } from './clock.ts'
import { checkDisk } from './disk.ts'
import { type Finding, findingsOf } from './finding.ts'
import { checkFolder, checkLeftovers } from './folder.ts'
import { checkTokens, checkVersions, findObstacle } from './store.ts'

/** Checks the embedded store, its folder and its disk. */
export function examineEmbeddedStore(folder: string, deployment: Deployment | undefined, now: number): Finding[] {
  const holdings = inspect(folder, now)
  const readable = holdings instanceof UserError ? undefined : holdings
  const engine = `SQLite ${process.versions.sqlite}`
  return [
    ...checkFolder(folder),
    ...checkLeftovers(folder),
    checkStore(folder, holdings, deployment),
    ...(readable ? [checkIndex(folder), checkWriting(folder)] : []),
    checkVersions({ engine, newest: MIGRATIONS.length, own: readable?.version }),
    checkDisk(folder),
    checkClock(now, readable),
    checkService(folder),
    ...(readable ? [checkTokens(readable)] : []),
  ]
}

/** The contents of the store, or why it cannot be read; undefined if there is no store yet. */
function inspect(folder: string, now: number): Holdings | UserError | undefined {
  try {
    ensureNotMoved(folder)
    ensureWholeLog(folder)
    const file = databaseFile(folder)
    // First, because only a store with the right tables has a state.
    const holdings = findFile(file) && inspectStore(file, now)
    ensureLastStore(file, holdings && readState(file))
    return holdings
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
}

/** Checks whether the store is intact, and belongs to the deployment in the settings. */
function checkStore(
  folder: string,
  holdings: Holdings | UserError | undefined,
  deployment: Deployment | undefined,
): Finding {
  const { ok, fail } = findingsOf('store')
  if (holdings === undefined) return ok(`There is no store in ${folder} yet; it is created when needed.`)
  if (holdings instanceof DamagedStore) {
    return fail(`${holdings.message} Restore a backup: ${COMMAND} restore FILE --force.`)
  }
  if (holdings instanceof UserError) return fail(holdings.message)
  const obstacle = findObstacle(holdings, deployment, 'PETSTORE_DATA')
  if (obstacle) return fail(obstacle)
  const { animals, accounts, keys } = holdings.counts
  return ok(`The ${holdings.deployment} store is intact (animals: ${animals}, accounts: ${accounts}, keys: ${keys}).`)
}

/** Checks whether totals and searches match the animals. */
function checkIndex(folder: string): Finding {
  const { ok, warn } = findingsOf('index')
  return orFail(warn, () => {
    if (hasRightIndex(databaseFile(folder))) return ok('The counts and the name index match the animals.')
    const remedy = `run ${COMMAND} backup FILE, stop the service, and run ${COMMAND} restore FILE --force`
    return warn(`The counts or the name index do not match the animals. To rebuild them, ${remedy}.`)
  })
}

/** Checks whether the store can be written to: its disk accepts a file, and no other process holds the write lock. */
function checkWriting(folder: string): Finding {
  const { ok, fail } = findingsOf('writing')
  const file = databaseFile(folder)
  return orFail(fail, () => {
    probeDisk(folder)
    if (!isHeldForWriting(file)) return ok('The disk is writable, and no other process holds the write lock.')
    return fail(`Another process holds the write lock of the store: stop it (fuser ${file} shows its id).`)
  })
}

/** Checks whether a service is running on the folder, and still has its files. */
function checkService(folder: string): Finding {
  const { ok, fail } = findingsOf('service')
  return orFail(fail, () => {
    const lost = findLostFile(folder)
    if (lost) return fail(`A service is running on ${folder}, but ${lost}.`)
    const users = isServing(folder) ? 'A service, or petstore migrate-store, is' : 'No service is'
    return ok(`${users} running on ${folder}.`)
  })
}

function orFail(fail: (message: string) => Finding, check: () => Finding): Finding {
  try {
    return check()
  } catch (error) {
    if (error instanceof UserError) return fail(error.message)
    throw error
  }
}
