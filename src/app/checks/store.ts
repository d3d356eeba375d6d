import manifest from '../../../package.json' with { type: 'json' }
import { UserError } from '../../domain/errors.ts'
import { INT64_MAX } from '../../domain/int64.ts'
import type { Config } from '../config.ts'
import { check } from './check.ts'
import type { Facts } from './facts.ts'
import { ok, warn } from './verdict.ts'

/** The checks of a store of either kind. */
export const STORE_CHECKS = [
  check('index', 'index', async ({ isRight, remedy }) => {
    try {
      if (await isRight()) return ok('The counts and the name index match the animals.')
      return warn(`The counts or the name index do not match the animals. To rebuild them, run ${remedy}`)
    } catch (error) {
      if (error instanceof UserError) return warn(`The counts and the name index were not checked: ${error.message}`)
      throw error
    }
  }),

  check('versions', 'engine', ({ name, newestStoreVersion: newest }, { store }) => {
    const versions = `Petstore ${manifest.version}, Node ${process.versions.node}, ${name}, store version ${newest}`
    const own = store?.version ?? newest
    if (own === newest) return ok(`${versions}.`)
    if (own > newest) return ok(`${versions}; a newer release has extended the store, and this one can use it.`)
    return warn(`${versions}; the store still has version ${own}: back it up before this program upgrades it.`)
  }),

  check('tokens', 'store', ({ usableAdminTokens: tokens }) => {
    if (tokens > 0) return ok(`${tokens} admin ${tokens === 1 ? 'token is' : 'tokens are'} active.`)
    return warn("No admin token is active: accounts cannot be managed through the operators' listener.")
  }),
]

/**
 * Returns why a service with these settings cannot use a store.
 * @param setting the setting that names the store
 */
export function findObstacle(store: Facts['store'], config: Config | undefined, setting: string): string | undefined {
  const own = store.deployment
  if (config && own !== config.deployment) {
    return `The store belongs to ${own}; set PETSTORE_DEPLOYMENT=${own}, or ${setting} to another store.`
  }
  return store.newestPetId === INT64_MAX ? 'No animal can be added: every id is used.' : undefined
}
