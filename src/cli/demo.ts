import { resolve } from 'node:path'
import { COMMAND } from '../app/command-name.ts'
import type { Config } from '../app/config.ts'
import type { Service } from '../app/service.ts'
import { createAccount } from '../domain/administration/accounts.ts'
import type { AdminContext } from '../domain/administration/context.ts'
import { issueKey } from '../domain/administration/keys.ts'
import { createSignInLink, type NewSignInLink } from '../domain/administration/sign-in-links.ts'
import type { Deployment } from '../domain/deployment.ts'
import { conflict } from '../domain/errors.ts'
import { DAY_MS } from '../domain/time.ts'
import { DEMO_ACCOUNT, DEMO_ACTOR } from './demo-store.ts'
import { commandLineActor } from './with-store.ts'

export const DEMO_KEY_DAYS = 7

interface Demo {
  /** Valid for `DEMO_KEY_DAYS`. */
  key: string
  /** Signs the user in once, as an administrator. */
  link: NewSignInLink
}

/** Creates a key and a sign-in link in the store of the demo. */
export async function prepareDemo({ store }: Service, deployment: Deployment, now: number): Promise<Demo> {
  const context: AdminContext = { store, deployment, actor: DEMO_ACTOR, now }
  if (!(await store.findAccountByName(DEMO_ACCOUNT))) {
    await createAccount(context, { name: DEMO_ACCOUNT, plan: 'business', limits: {} })
  }
  const expiresAt = now + DEMO_KEY_DAYS * DAY_MS
  const { key } = await issueKey(context, { account: DEMO_ACCOUNT, name: DEMO_ACCOUNT, expiresAt })
  const actor = commandLineActor(process.env)
  const link = await createSignInLink({ ...context, actor }, { name: actor.name, role: 'admin' })
  return { key, link }
}

/**
 * Fills the store of the demo if it is new, and adds nothing to a store with anything of its own: of an earlier version, it is not even upgraded.
 * @throws UserError when the store is neither empty nor the demo's
 */
export async function ensureDemoStore(config: Config, now: number): Promise<void> {
  const { findMaker } = await import('../app/open-store.ts')
  const maker = await findMaker(config)
  if (maker === DEMO_ACTOR.name) return
  if (maker === null) {
    const { fillDemo } = await import('./fill-demo.ts')
    return fillDemo(config, now)
  }
  const [place, remedy] =
    config.databaseUrl === undefined
      ? [resolve(config.dataFolder), 'PETSTORE_DATA to an empty folder']
      : ['the database', 'PETSTORE_DATABASE_URL to an empty database']
  throw conflict(
    `The store in ${place} was not made by the demo, so the demo adds nothing to it; run ${COMMAND} serve, or set ${remedy}.`,
  )
}
