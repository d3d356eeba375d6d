import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import { COMMAND } from '../app/command-name.ts'
import { type Config, loadConfig } from '../app/config.ts'
import { SETTINGS } from '../app/settings.ts'
import type { AdminContext } from '../domain/administration/context.ts'
import { type Actor, COMMAND_LINE } from '../domain/audit.ts'
import { UserError } from '../domain/errors.ts'
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
  // Loaded late, so that help and mistyped commands stay fast.
  const { hasStore, openStore } = await import('../app/open-store.ts')
  const isNew = create && !(await hasStore(config))
  if (!create) await requireStore(config)
  const store = await openStore(config)
  try {
    if (isNew) reportNewStore(config)
    return await work(store, config)
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
  if (await hasStore(config)) return
  const setting = config.databaseUrl === undefined ? SETTINGS.dataFolder : SETTINGS.databaseUrl
  const remedy = `set ${setting.name}, or create one with "${COMMAND} serve" or "${COMMAND} account create"`
  throw new UserError('not_found', `There is no store in ${placeOf(config)}; ${remedy}.`)
}

/** On standard error, also with `--json`: if the setting is mistyped, a new store is not what was wanted. */
export function reportNewStore(config: Config): void {
  process.stderr.write(`${plainLine(newStoreMessage(config))}\n`)
}

export function newStoreMessage(config: Config): string {
  return `There was no store in ${placeOf(config)}, so a new one was created.`
}

/** The folder of a store, or its database without user, password and options. */
export function placeOf({ dataFolder, databaseUrl }: Pick<Config, 'dataFolder' | 'databaseUrl'>): string {
  if (databaseUrl === undefined) return resolve(dataFolder)
  return `the database ${SETTINGS.databaseUrl.show(databaseUrl).replace(/^\w+:\/\//, '')}`
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
