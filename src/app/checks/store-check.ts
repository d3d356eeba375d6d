import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable } from '../../domain/errors.ts'
import type { Store } from '../../domain/store.ts'
import { fail, ok, type Verdict } from './verdict.ts'

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
  try {
    const late = sleep(TIMEOUT_MS, 'late', { ref: false })
    if ((await Promise.race([store.check(), late])) === undefined) return ok('The store can be written.')
    return fail(`The store did not respond within ${TIMEOUT_MS / 1_000} seconds.`)
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) return fail('The store fails.')
    const { message, cause } = error
    return fail(cause instanceof Error ? `${message} (${cause.message})` : message)
  }
}
