import { type Config, parseConfig } from '../config.ts'
import type { Acting } from '../domain/administration/acting.ts'
import type { Store } from '../domain/store.ts'
import { commandLineActor } from './actor.ts'

/** Does one piece of work on the store that the environment names, and closes it whatever happens. */
export async function withStore<Result>(work: (store: Store, config: Config) => Promise<Result>): Promise<Result> {
  const config = parseConfig(process.env)
  // Help and mistyped commands do not wait for the service to be loaded.
  const { openStore } = await import('../open-store.ts')
  const store = await openStore(config)
  try {
    return await work(store, config)
  } finally {
    await store.close()
  }
}

/** The same, for work that changes something: it is done in the name of whoever typed the command. */
export function withActing<Result>(work: (acting: Acting, config: Config) => Promise<Result>): Promise<Result> {
  return withStore((store, config) => {
    const actor = commandLineActor(process.env)
    return work({ store, deployment: config.deployment, actor, now: Date.now() }, config)
  })
}
