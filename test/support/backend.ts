import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../src/app/config.ts'
import { openDatabase } from './database.ts'
import { lockWrites } from './write-lock.ts'

/** What a test's service runs on: a folder; PostgreSQL and Redis; the same with three instances behind a load balancer. */
export const BACKENDS = ['embedded', 'scaled', 'balanced'] as const
export type BackendName = (typeof BACKENDS)[number]

/** Where the services of a test keep what must be remembered, and how a test gets at it past them. */
export interface Backend {
  settings: Pick<Config, 'dataFolder' | 'databaseUrl' | 'redisUrls'>
  /** Runs SQL on the store, as another process may. */
  execute(sql: string): Promise<void>
  /** Lets no animal be added, as another process may for a while; what is returned gives that back. Reads go on. */
  lockWrites(): Promise<() => Promise<void>>
  /** Everything that is kept, in store and Redis, as Latin-1. */
  dump(): Promise<string>
  remove(): Promise<void>
}

/** The backend that the whole run of tests is for: `PETSTORE_TEST_BACKEND`, else the embedded store. */
export function backendOfRun(): BackendName {
  const wish = process.env.PETSTORE_TEST_BACKEND ?? 'embedded'
  const name = BACKENDS.find(one => one === wish)
  if (!name) throw new Error(`PETSTORE_TEST_BACKEND must be one of ${BACKENDS.join(', ')}, not "${wish}".`)
  return name
}

export async function makeBackend(name: BackendName): Promise<Backend> {
  if (name === 'embedded') return makeFolder()
  // A test of the embedded store loads nothing that starts servers.
  const { makeSchema } = await import('./servers/scaled-backend.ts')
  return makeSchema()
}

async function makeFolder(): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-test-'))
  return {
    settings: { dataFolder: folder, databaseUrl: undefined, redisUrls: [] },
    async execute(sql) {
      const database = openDatabase(folder)
      database.exec(sql)
      database.close()
    },
    lockWrites: () => lockWrites(folder),
    async dump() {
      const names = await readdir(folder, { recursive: true })
      const texts = names.map(name => readFile(join(folder, name), 'latin1').catch(() => ''))
      return (await Promise.all(texts)).join('')
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
