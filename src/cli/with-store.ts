import { COMMAND } from '../command-name.ts'
import { type Config, parseConfig } from '../config.ts'
import type { Acting } from '../domain/administration/acting.ts'
import { Mistake } from '../domain/errors.ts'
import type { Store } from '../domain/store.ts'
import { commandLineActor } from './actor.ts'

interface Options {
  /** Whether a store is made where there is none. Elsewhere a mistyped PETSTORE_DATA would pass for an empty store. */
  mayMake?: boolean
}

/**
 * Does one piece of work on the store that the environment names, and closes it whatever happens.
 * @throws Mistake when there is none
 */
export async function withStore<Result>(
  work: (store: Store, config: Config) => Promise<Result>,
  { mayMake = false }: Options = {},
): Promise<Result> {
  const config = parseConfig(process.env)
  if (!mayMake) await requireStore(config)
  // Help and mistyped commands do not wait for the service to be loaded.
  const { openStore } = await import('../open-store.ts')
  const store = await openStore(config)
  try {
    return await work(store, config)
  } finally {
    await store.close()
  }
}

/** @throws Mistake when there is no store */
export async function requireStore(config: Config): Promise<void> {
  const { hasStore } = await import('../open-store.ts')
  if (hasStore(config)) return
  const remedy = `set PETSTORE_DATA, or make one with "${COMMAND} serve" or "${COMMAND} account create"`
  throw new Mistake('not_found', `There is no store in ${config.dataFolder}; ${remedy}.`)
}

/** The same, for work that changes something: it is done in the name of whoever typed the command. */
export function withActing<Result>(
  work: (acting: Acting, config: Config) => Promise<Result>,
  options?: Options,
): Promise<Result> {
  return withStore((store, config) => {
    const actor = commandLineActor(process.env)
    return work({ store, deployment: config.deployment, actor, now: Date.now() }, config)
  }, options)
}
