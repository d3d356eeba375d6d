import { Redis } from 'ioredis'
import { Client } from 'pg'
import type { Backend } from '../backend.ts'
import { makeDatabase } from './postgres.ts'
import { sharedRedisUrl } from './redis.ts'

/** An empty PostgreSQL schema, with a Redis for counting. */
export async function makeSchema(): Promise<Backend> {
  const redisUrl = await sharedRedisUrl()
  const { url, run, drop } = await makeDatabase()
  return {
    // No folder can be created there, so code that still needs one fails immediately.
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
