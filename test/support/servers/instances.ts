import type { TestContext } from 'node:test'
import type { Cleanup } from '../cleanup.ts'
import { makeStore, type Serving, startServe, type TestStore } from '../command-line.ts'
import { findProgram, skip } from './needs.ts'
import { makeDatabase, noPostgres } from './postgres.ts'
import { noRedis, sharedRedisUrl } from './redis.ts'

/** Skips a test, with a warning, if several instances cannot run. */
export function canRunInstances(t: TestContext): boolean {
  const noBalancer = findProgram('haproxy') ? undefined : 'HAProxy is not installed'
  const missing = noPostgres ?? noRedis ?? noBalancer
  return missing === undefined || skip(t, missing)
}

/** An empty store in PostgreSQL, with a Redis for counting, for processes of the program. */
export async function makeSharedStore(t: Cleanup, settings: Record<string, string> = {}): Promise<TestStore> {
  const { url, drop } = await makeDatabase()
  t.after(drop)
  const redisUrl = await sharedRedisUrl()
  return makeStore(t, { PETSTORE_DATABASE_URL: url, PETSTORE_REDIS_URL: redisUrl, ...settings })
}

/** Several processes of the program on one store. */
export function startInstances(t: Cleanup, store: TestStore, count = 3): Promise<Serving[]> {
  return Promise.all(Array.from({ length: count }, () => startServe(t, {}, { store })))
}
