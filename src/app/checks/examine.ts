import { UserError } from '../../domain/errors.ts'
import type { CheckFinding } from '../../operator/running-service.ts'
import { hasRightIndex, inspectFolder, readSources } from '../../sqlite/backup/inspect.ts'
import { databaseFile } from '../../sqlite/data-folder/store-files.ts'
import { MIGRATIONS } from '../../sqlite/store-version.ts'
import { COMMAND } from '../command-name.ts'
import type { Environment } from '../settings.ts'
import { runChecks } from './checks.ts'
import type { Facts } from './facts.ts'
import { readSettings } from './settings.ts'

/** Checks everything that a service with these settings would use. Changes nothing, and is safe while the service runs. */
export async function examine(env: Environment, now: number): Promise<CheckFinding[]> {
  const settings = readSettings(env)
  const { dataFolder, databaseUrl } = settings.places ?? {}
  const folder = dataFolder !== undefined && databaseUrl === undefined ? await examineFolder(dataFolder, now) : {}
  const database = databaseUrl === undefined ? {} : await examineDatabase(databaseUrl, now)
  return runChecks({ now, env, ...settings, ...folder, ...database })
}

async function examineFolder(folder: string, now: number): Promise<Partial<Facts>> {
  const holdings = await orUserError(async () => inspectFolder(folder, now))
  const facts = { folder, engine: { name: `SQLite ${process.versions.sqlite}`, newestStoreVersion: MIGRATIONS.length } }
  if (!holdings) return { ...facts, clock: {} }
  if (holdings instanceof UserError) return { ...facts, holdings, clock: {} }
  const remedy = `${COMMAND} backup FILE, stop the service, and run ${COMMAND} restore FILE --force.`
  const index = { isRight: () => hasRightIndex(databaseFile(folder)), remedy }
  const sources = readSources(databaseFile(folder))
  return { ...facts, holdings, store: holdings, clock: holdings, index, sources }
}

/** The driver is loaded only when needed. */
async function examineDatabase(url: string, now: number): Promise<Partial<Facts>> {
  const { hasRightIndex, inspectDatabase, readSources } = await import('../../postgres/inspect.ts')
  const found = await orUserError(() => inspectDatabase(url, now))
  if (found instanceof UserError) return { unreachable: found.message, clock: {} }
  const { version, store, newestStoreVersion } = found
  const facts = { database: found, engine: { name: `PostgreSQL ${version}`, newestStoreVersion } }
  if (!store || store instanceof UserError) return { ...facts, clock: {} }
  const index = { isRight: () => hasRightIndex(url), remedy: REBUILD_INDEX }
  if (store.version !== newestStoreVersion) return { ...facts, store, clock: store }
  return { ...facts, store, clock: store, index, sources: await readSources(url) }
}

/** One transaction, ready to paste into psql. */
const REBUILD_INDEX =
  'BEGIN; SELECT keep_turn(); TRUNCATE pet_count, pet_total, pet_recount, pet_search, pet_renamed; UPDATE pet_progress SET counted_to = 0, dropped_to = 0, indexed_to = 0; COMMIT;'

async function orUserError<Found>(find: () => Promise<Found>): Promise<Found | UserError> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
}
