import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { Client } from 'pg'
import type { Config } from '../../src/config.ts'
import { openDatabase } from './database.ts'
import { makeDatabase } from './postgres.ts'
import { sharedRedisUrl } from './redis.ts'
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

export function makeBackend(name: BackendName): Promise<Backend> {
  return name === 'embedded' ? makeFolder() : makeSchema()
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

async function makeSchema(): Promise<Backend> {
  const redisUrl = await sharedRedisUrl()
  const { url, run, drop } = await makeDatabase()
  return {
    // No folder can be made there: whoever needs one all the same shows at once.
    settings: { dataFolder: '/dev/null/no-folder', databaseUrl: url, redisUrls: [redisUrl] },
    execute: async sql => void (await run(sql)),
    async lockWrites() {
      const client = new Client({ connectionString: url })
      await client.connect()
      await client.query('BEGIN; LOCK TABLE pet IN EXCLUSIVE MODE')
      return () => client.end()
    },
    async dump() {
      const tables = await run(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'",
      )
      const rows = await Promise.all(tables.map(({ table_name: table }) => run(`SELECT row::text FROM "${table}" row`)))
      return (
        rows
          .flat()
          .map(row => row.row)
          .join('\n') + (await dumpRedis(redisUrl))
      )
    },
    remove: drop,
  }
}

async function dumpRedis(url: string): Promise<string> {
  const redis = new Redis(url)
  try {
    const keys = await redis.keys('petstore:*')
    const values = await Promise.all(keys.map(key => redis.dumpBuffer(key)))
    return keys.join('\n') + values.map(value => value?.toString('latin1') ?? '').join('\n')
  } finally {
    redis.disconnect()
  }
}
