import { StoreUnavailable } from '../domain/errors.ts'
import type { Store } from '../domain/store.ts'

/** How long the store may take to respond to a probe. */
const CHECK_TIMEOUT_MS = 2_000
/** Probes within this time share one check of the store, which costs a write. */
const CHECK_SHARED_MS = 1_000

/** Returns the reason why the store cannot be used, for operators and the log: it may name hosts, users and paths. */
export type CheckStore = () => Promise<string | undefined>

export function buildStoreCheck(store: Pick<Store, 'check'>): CheckStore {
  let checkedAt = Number.NEGATIVE_INFINITY
  let checking: Promise<string | undefined> = Promise.resolve(undefined)

  return () => {
    if (performance.now() - checkedAt >= CHECK_SHARED_MS) {
      checkedAt = performance.now()
      checking = withTimeout(store.check()).then(() => undefined, reasonOf)
    }
    return checking
  }
}

/** @throws StoreUnavailable when it takes too long */
function withTimeout(check: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new StoreUnavailable(`The store did not respond within ${CHECK_TIMEOUT_MS / 1_000} seconds.`)),
    CHECK_TIMEOUT_MS,
  )
  return Promise.race([check, late.promise]).finally(() => clearTimeout(timer))
}

function reasonOf(error: unknown): string {
  if (!(error instanceof StoreUnavailable)) return 'the store fails'
  const { message, cause } = error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}
