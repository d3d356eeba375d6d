import manifest from '../../package.json' with { type: 'json' }
import type { Deployment } from '../domain/deployment.ts'
import { INT64_MAX } from '../domain/int64.ts'
import { type Finding, findingsOf } from './finding.ts'

// The checks for both kinds of store.

/**
 * Returns why a service with these settings cannot use a store.
 * @param setting the setting that names the store
 */
export function findObstacle(
  store: { deployment: Deployment; newestPetId: bigint },
  deployment: Deployment | undefined,
  setting: string,
): string | undefined {
  const own = store.deployment
  if (deployment !== undefined && own !== deployment) {
    return `The store belongs to ${own}; set PETSTORE_DEPLOYMENT=${own}, or ${setting} to another store.`
  }
  return store.newestPetId === INT64_MAX ? 'No animal can be added: every id is used.' : undefined
}

interface Versions {
  /** The database engine, such as "SQLite 3.50.4". */
  engine: string
  /** The store version that this program needs. */
  newest: number
  /** The version of the store; undefined if there is no store. */
  own: number | undefined
}

/** Reports the versions in use, and whether this program will upgrade the store. */
export function checkVersions({ engine, newest, own }: Versions): Finding {
  const { ok, warn } = findingsOf('versions')
  const versions = `Petstore ${manifest.version}, Node ${process.versions.node}, ${engine}, store version ${newest}`
  if (own === undefined || own === newest) return ok(`${versions}.`)
  if (own > newest) return ok(`${versions}; a newer release has extended the store, and this one can use it.`)
  return warn(`${versions}; the store still has version ${own}: back it up before this program upgrades it.`)
}

/** Checks whether anyone can sign in as an administrator. */
export function checkTokens({ usableAdminTokens: tokens }: { usableAdminTokens: number }): Finding {
  const { ok, warn } = findingsOf('tokens')
  if (tokens > 0) return ok(`${tokens} admin ${tokens === 1 ? 'token is' : 'tokens are'} active.`)
  return warn("No admin token is active: accounts cannot be managed through the operators' listener.")
}
