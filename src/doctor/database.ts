import { formatBytes } from '../domain/bytes.ts'
import type { Deployment } from '../domain/deployment.ts'
import { UserError } from '../domain/errors.ts'
import { type Database, hasRightIndex, hasSessions, inspectDatabase, type StoredStore } from '../postgres/inspect.ts'
import { checkClock, compareClocks } from './clock.ts'
import { type Finding, findingsOf } from './finding.ts'
import { checkTokens, checkVersions, findObstacle } from './store.ts'

const WARN_ABOVE_SHARE = 0.8

/** Checks the store in a PostgreSQL database. */
export async function examineDatabase(
  url: string,
  deployment: Deployment | undefined,
  now: number,
): Promise<Finding[]> {
  const database = await orUserError(inspectDatabase(url, now))
  if (database instanceof UserError) {
    return [findingsOf('database').fail(database.message), checkClock(now, undefined)]
  }
  const { name, version, store } = database
  const readable = store instanceof UserError ? undefined : store
  return [
    checkDatabase(database),
    checkDurability(database),
    checkConnections(database),
    await checkChangeFeed(url, name),
    checkStore(database, deployment),
    ...(readable?.version === database.newestStoreVersion ? [await checkIndex(url)] : []),
    checkVersions({ engine: `PostgreSQL ${version}`, newest: database.newestStoreVersion, own: readable?.version }),
    checkSize(database, readable),
    checkClock(now, readable),
    compareClocks(`PostgreSQL at ${name}`, database.clockAheadMs),
    ...(readable ? [checkInstances(readable), checkTokens(readable)] : []),
  ]
}

async function orUserError<Found>(finding: Promise<Found>): Promise<Found | UserError> {
  try {
    return await finding
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
}

function checkDatabase({ name, version, isReadOnly }: Database): Finding {
  const { ok, fail } = findingsOf('database')
  if (isReadOnly) return fail(`PostgreSQL at ${name} is read-only; set PETSTORE_DATABASE_URL to the primary.`)
  return ok(`PostgreSQL ${version} responds at ${name}.`)
}

function checkDurability({ notOnDisk, hasStandby, waitsForStandby }: Database): Finding {
  const { ok, warn } = findingsOf('durability')
  if (notOnDisk.length > 0) {
    return warn(`A crash of PostgreSQL may lose acknowledged writes; set ${notOnDisk.join(' and ')} to on.`)
  }
  if (hasStandby && !waitsForStandby) {
    return warn(
      'A standby follows PostgreSQL, but commits do not wait for it, so a failover may lose acknowledged writes; set synchronous_standby_names, and synchronous_commit to on (with Patroni: synchronous_mode).',
    )
  }
  const words = waitsForStandby ? 'they are on its disk and a standby has them' : 'they are on its disk'
  return ok(`PostgreSQL acknowledges writes only when ${words}.`)
}

function checkConnections({ connections: { open, most } }: Database): Finding {
  const { ok, warn } = findingsOf('connections')
  const words = `${open} of the ${most} connections that PostgreSQL allows are open`
  if (open <= most * WARN_ABOVE_SHARE) return ok(`${words}.`)
  return warn(`${words}; raise max_connections, or find the clients that hold them.`)
}

/** Instances notify each other of changes, and hold locks, through connections that stay open. */
async function checkChangeFeed(url: string, name: string): Promise<Finding> {
  const found = await orUserError(hasSessions(url))
  const { ok, fail } = findingsOf('push')
  if (found instanceof UserError) return fail(found.message)
  if (found) return ok('Instances can notify each other of changes.')
  return fail(
    `The pooler at ${name} pools connections by transaction, so instances cannot notify each other of changes; switch it to session pooling, or connect to PostgreSQL directly.`,
  )
}

function checkStore({ name, store, mayMakeTables, denied }: Database, deployment: Deployment | undefined): Finding {
  const { ok, fail } = findingsOf('store')
  if (store instanceof UserError) return fail(store.message)
  if (store === undefined) {
    return mayMakeTables
      ? ok(`There is no store in ${name} yet; it is created when needed.`)
      : fail(`There is no store in ${name} yet, and this user may not create it; run GRANT CREATE ON SCHEMA.`)
  }
  const obstacle = findObstacle(store, deployment, 'PETSTORE_DATABASE_URL')
  if (obstacle) return fail(obstacle)
  if (denied) return fail(`This user lacks a right in ${name} (${denied.reason}); as the owner, run ${denied.remedy}`)
  const { newestPetId, accounts, keys } = store
  const counts = `highest animal id: ${newestPetId}, accounts: ${accounts}, keys: ${keys}`
  return ok(`The ${store.deployment} store can be used (${counts}).`)
}

/** Checks whether totals and searches match the animals. */
async function checkIndex(url: string): Promise<Finding> {
  const found = await orUserError(hasRightIndex(url))
  const { ok, warn } = findingsOf('index')
  if (found instanceof UserError) return warn(`The counts and the name index were not checked: ${found.message}`)
  if (found) return ok('The counts and the name index match the animals.')
  return warn(`The counts or the name index do not match the animals: run ${REBUILD_INDEX}`)
}

/** One transaction, ready to paste into psql. */
const REBUILD_INDEX =
  'BEGIN; SELECT FROM revision FOR UPDATE; TRUNCATE pet_count, pet_total, pet_recount, pet_search, pet_renamed; UPDATE pet_progress SET counted_to = 0, dropped_to = 0, indexed_to = 0; COMMIT;'

function checkSize({ bytes }: Database, store: StoredStore | undefined): Finding {
  const sizes = store
    ? `The store takes ${formatBytes(store.bytes)}, the whole database ${formatBytes(bytes)}`
    : `The database takes ${formatBytes(bytes)}`
  return findingsOf('size').ok(`${sizes}; PostgreSQL does not report the free space on its disk.`)
}

function checkInstances({ instances }: StoredStore): Finding {
  const words = instances === 1 ? '1 instance of the service is' : `${instances || 'No'} instances of the service are`
  return findingsOf('service').ok(`${words} running on the store.`)
}
