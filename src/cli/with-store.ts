import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import { COMMAND } from '../app/command-name.ts'
import { type Config, loadConfig } from '../app/config.ts'
import type { AdminContext } from '../domain/administration/context.ts'
import { type Actor, COMMAND_LINE } from '../domain/audit.ts'
import { notFound, UserError } from '../domain/errors.ts'
import type { Store } from '../domain/store.ts'
import { plainLine } from './output/text.ts'

interface Options {
  /** Creates a missing store. Without this, a mistyped PETSTORE_DATA would look like an empty store. */
  create?: boolean
}

/**
 * Opens the store that the environment names, runs the work, and always closes the store.
 * @throws UserError when there is no store
 */
export async function withStore<Result>(
  work: (store: Store, config: Config) => Promise<Result>,
  { create = false }: Options = {},
): Promise<Result> {
  const config = loadConfig()
  if (!create) await requireStore(config)
  // Loaded late, so that help and mistyped commands stay fast.
  const { hasStore, openStore } = await import('../app/open-store.ts')
  const isNew = !hasStore(config)
  const store = await openStore(config)
  try {
    if (isNew) reportNewStore(config)
    return await work(store, config)
  } catch (error) {
    if (error instanceof UserError) await store.settleChanges()
    throw error
  } finally {
    await store.close()
  }
}

/** The same for work that changes something, on behalf of the user who typed the command. */
export function withAdminContext<Result>(
  work: (context: AdminContext, config: Config) => Promise<Result>,
  options?: Options,
): Promise<Result> {
  return withStore((store, config) => {
    const { deployment } = config
    return work({ store, deployment, actor: commandLineActor(process.env), now: Date.now() }, config)
  }, options)
}

/** @throws UserError when there is no store */
export async function requireStore(config: Config): Promise<void> {
  const { hasStore } = await import('../app/open-store.ts')
  if (hasStore(config)) return
  const remedy = `set PETSTORE_DATA, or create one with "${COMMAND} serve" or "${COMMAND} account create"`
  throw notFound(`There is no store in ${resolve(config.dataFolder)}; ${remedy}.`)
}

/** On standard error, also with `--json`: if PETSTORE_DATA is mistyped, a new store is not what was wanted. */
export function reportNewStore({ dataFolder }: Config): void {
  process.stderr.write(`${plainLine(newStoreMessage(dataFolder))}\n`)
}

export function newStoreMessage(dataFolder: string): string {
  return `There was no store in ${resolve(dataFolder)}, so a new one was created.`
}

/** The user who runs the command, as known to the operating system. */
export function commandLineActor(env: NodeJS.ProcessEnv): Actor {
  const user = findUser()
  return { name: env.SUDO_USER ? `${user} (sudo by ${env.SUDO_USER})` : user, origin: COMMAND_LINE }
}

/** A container may run as a user id without a name. */
function findUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
