import manifest from '../../../package.json' with { type: 'json' }
import { StoreUnavailable, UserError } from '../../domain/errors.ts'
import { INT64_MAX } from '../../domain/int64.ts'
import { afterSilence } from '../../domain/silence.ts'
import type { Store } from '../../domain/store.ts'
import type { Config } from '../config.ts'
import { check } from './check.ts'
import type { Facts } from './facts.ts'
import { fail, ok, type Verdict, warn } from './verdict.ts'

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

/** How long the store may take to respond to a probe. */
const TIMEOUT_MS = 2_000
/** Probes within this time share one check of the store, which costs a write. */
const SHARED_MS = 1_000

/** Checks the store that a service has open. Why it cannot be used is for operators and the log: it may name hosts, users and paths. */
export function buildStoreCheck(store: Pick<Store, 'check'>): () => Promise<Verdict> {
  let checkedAt = 0
  let checking: Promise<Verdict> | undefined

  return () => {
    if (checking && performance.now() - checkedAt < SHARED_MS) return checking
    checkedAt = performance.now()
    checking = checkStore(store)
    return checking
  }
}

async function checkStore(store: Pick<Store, 'check'>): Promise<Verdict> {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<'late'>()
  const responded = afterSilence(TIMEOUT_MS, () => giveUp('late'))
  try {
    if ((await Promise.race([store.check(), late])) === undefined) return ok('The store can be written.')
    return fail(`The store did not respond within ${TIMEOUT_MS / 1_000} seconds.`)
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) return fail('The store fails.')
    const { message, cause } = error
    return fail(cause instanceof Error ? `${message} (${cause.message})` : message)
  } finally {
    responded()
  }
}
