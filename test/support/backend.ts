import type { Config } from '../../src/app/config.ts'

/** The backend of a test's service: a folder; PostgreSQL and Redis; the same with three instances behind a load balancer. */
export const BACKENDS = ['embedded', 'scaled', 'balanced'] as const
export type BackendName = (typeof BACKENDS)[number]

/** The persistent storage of a test's services, with direct access to it. */
export interface Backend {
  settings: Pick<Config, 'dataFolder' | 'databaseUrl' | 'redisUrls'>
  /** Runs SQL on the store, as another process may. */
  execute(sql: string): Promise<void>
  /** Blocks creations, as another process may for a while, until the returned function is called. Reads continue. */
  lockWrites(): Promise<() => Promise<void>>
  /** Everything in the store and in Redis, as Latin-1. */
  dump(): Promise<string>
  remove(): Promise<void>
}

/** The backend of the whole test run: `PETSTORE_TEST_BACKEND`, or else the embedded store. */
export function backendOfRun(): BackendName {
  const wish = process.env.PETSTORE_TEST_BACKEND ?? 'embedded'
  const name = BACKENDS.find(one => one === wish)
  if (!name) throw new Error(`PETSTORE_TEST_BACKEND must be one of ${BACKENDS.join(', ')}, not "${wish}".`)
  return name
}
