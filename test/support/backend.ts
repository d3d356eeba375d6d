import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../src/app/config.ts'
import { openDatabase } from './database.ts'
import { lockWrites } from './write-lock.ts'

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

export async function makeBackend(name: BackendName): Promise<Backend> {
  if (name === 'embedded') return makeFolder()
  // A test of the embedded store loads no code that starts servers.
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
