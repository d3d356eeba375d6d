import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { INT64_MAX } from '../domain/int64.ts'
import { type Database, hasSessions, inspectDatabase, type StoredStore } from '../postgres/inspect.ts'
import { formatBytes } from './bytes.ts'
import { checkClock, compareClocks } from './clock.ts'
import type { Finding } from './finding.ts'
import { checkTokens } from './tokens.ts'
import { checkVersions } from './versions.ts'

const WARN_ABOVE_SHARE = 0.8

/** Checks the store in a PostgreSQL database, and what it stands on. */
export async function examineDatabase(
  url: string,
  deployment: Deployment | undefined,
  now: number,
): Promise<Finding[]> {
  const database = await orMistake(inspectDatabase(url, now))
  if (database instanceof Mistake) return [finding('database', 'fail', database.message), checkClock(now, undefined)]
  const { name, version, store } = database
  const sound = store instanceof Mistake ? undefined : store
  return [
    checkDatabase(database),
    checkDurability(database),
    checkConnections(database),
    await checkPush(url, name),
    checkStore(database, deployment),
    checkVersions({ engine: `PostgreSQL ${version}`, newest: database.newestStoreVersion, own: sound?.version }),
    checkSize(database, sound),
    checkClock(now, sound?.newestTime),
    compareClocks(`PostgreSQL at ${name}`, database.clockAheadMs),
    ...(sound ? [checkInstances(sound), checkTokens(sound)] : []),
  ]
}

async function orMistake<Found>(finding: Promise<Found>): Promise<Found | Mistake> {
  try {
    return await finding
  } catch (error) {
    if (error instanceof Mistake) return error
    throw error
  }
}

function checkDatabase({ name, version, isReadOnly }: Database): Finding {
  if (isReadOnly) {
    return finding('database', 'fail', `PostgreSQL at ${name} can only be read; name the primary, where writing is on.`)
  }
  return finding('database', 'ok', `PostgreSQL ${version} answers at ${name}.`)
}

function checkDurability({ notOnDisk }: Database): Finding {
  if (notOnDisk.length === 0) return finding('durability', 'ok', 'What PostgreSQL has acknowledged is on its disk.')
  const names = notOnDisk.join(' and ')
  return finding('durability', 'warn', `A crash of PostgreSQL may lose what was answered 201; set ${names} to on.`)
}

function checkConnections({ connections: { open, most } }: Database): Finding {
  const words = `${open} of the ${most} connections that PostgreSQL allows are open`
  if (open <= most * WARN_ABOVE_SHARE) return finding('connections', 'ok', `${words}.`)
  return finding('connections', 'warn', `${words}; raise max_connections, or find who holds them.`)
}

/** Instances tell each other of changes by notifications, and hold locks for as long as they are connected. */
async function checkPush(url: string, name: string): Promise<Finding> {
  const found = await orMistake(hasSessions(url))
  if (found instanceof Mistake) return finding('push', 'fail', found.message)
  if (found) return finding('push', 'ok', 'Instances can be told what others change.')
  return finding(
    'push',
    'fail',
    `What stands at ${name} gives each transaction another connection, so that instances cannot be told what others change; let it pool sessions, or name PostgreSQL itself.`,
  )
}

function checkStore({ name, store, mayMakeTables }: Database, deployment: Deployment | undefined): Finding {
  if (store instanceof Mistake) return finding('store', 'fail', store.message)
  if (store === undefined) {
    return mayMakeTables
      ? finding('store', 'ok', `There is no store in ${name} yet; it is made when it is needed.`)
      : finding(
          'store',
          'fail',
          `There is no store in ${name} yet, and its user may make none; GRANT CREATE ON SCHEMA.`,
        )
  }
  const { deployment: own, newestPetId, accounts, keys } = store
  if (deployment !== undefined && own !== deployment) {
    return finding(
      'store',
      'fail',
      `The store belongs to ${own}; set PETSTORE_DEPLOYMENT=${own}, or PETSTORE_DATABASE_URL to another.`,
    )
  }
  if (newestPetId === INT64_MAX) return finding('store', 'fail', 'No animal can be added: every id is used.')
  return finding(
    'store',
    'ok',
    `The ${own} store is there (highest animal id: ${newestPetId}, accounts: ${accounts}, keys: ${keys}).`,
  )
}

function checkSize({ bytes }: Database, store: StoredStore | undefined): Finding {
  const words = store ? `The store takes ${formatBytes(store.bytes)} of` : 'The database takes'
  const database = store ? `the ${formatBytes(bytes)} that the database takes` : formatBytes(bytes)
  return finding('size', 'ok', `${words} ${database}; how much room its disk has left, PostgreSQL does not tell.`)
}

function checkInstances({ instances }: StoredStore): Finding {
  const words = instances === 1 ? '1 instance of the service is' : `${instances || 'No'} instances of the service are`
  return finding('service', 'ok', `${words} running on the store.`)
}

function finding(check: string, outcome: Finding['outcome'], message: string): Finding {
  return { check, outcome, message }
}
