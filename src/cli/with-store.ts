import { type Config, parseConfig } from '../config.ts'
import type { Store } from '../domain/store.ts'

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
