import { COMMAND } from '../command-name.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { INT64_MAX } from '../domain/int64.ts'
import type { Holdings } from '../sqlite/inspect.ts'
import { DamagedStore } from '../sqlite/mistakes.ts'
import type { Finding } from './finding.ts'

/** Whether the store is whole, and of the deployment that is set. */
export function checkStore(
  folder: string,
  holdings: Holdings | Mistake | undefined,
  deployment: Deployment | undefined,
): Finding {
  if (holdings === undefined) return finding('ok', `There is no store in ${folder} yet; it is made when it is needed.`)
  if (holdings instanceof DamagedStore) {
    return finding('fail', `${holdings.message} Restore a backup: ${COMMAND} restore FILE --force.`)
  }
  if (holdings instanceof Mistake) return finding('fail', holdings.message)
  const { deployment: own, counts } = holdings
  if (deployment !== undefined && own !== deployment) {
    return finding('fail', `The store belongs to ${own}; set PETSTORE_DEPLOYMENT=${own}, or PETSTORE_DATA to another.`)
  }
  if (holdings.newestPetId === INT64_MAX) return finding('fail', 'No animal can be added: every id is used.')
  return finding(
    'ok',
    `The ${own} store is sound (animals: ${counts.animals}, accounts: ${counts.accounts}, keys: ${counts.keys}).`,
  )
}

function finding(outcome: Finding['outcome'], message: string): Finding {
  return { check: 'store', outcome, message }
}
