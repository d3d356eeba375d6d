import { resolve } from 'node:path'
import { COMMAND } from '../app/command-name.ts'
import type { Config } from '../app/config.ts'
import { UserError } from '../domain/errors.ts'
import { isDemoStore } from './demo-store.ts'

/**
 * Makes sure that the demo adds nothing to a store with anything of its own. Changes nothing: a store of an earlier version is not even upgraded.
 * @throws UserError when the store is neither empty nor the demo's
 */
export async function ensureDemoStore(config: Config): Promise<void> {
  const { peekIntoStore } = await import('../app/peek-into-store.ts')
  const found = await peekIntoStore(config, isDemoStore)
  if (found === 'none' || found === true) return
  const [place, remedy] =
    config.databaseUrl === undefined
      ? [resolve(config.dataFolder), 'PETSTORE_DATA to an empty folder']
      : ['the database', 'PETSTORE_DATABASE_URL to an empty database']
  throw new UserError(
    'conflict',
    `The store in ${place} was not made by the demo, so the demo adds nothing to it; run ${COMMAND} serve, or set ${remedy}.`,
  )
}
