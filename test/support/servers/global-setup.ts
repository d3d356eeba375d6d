import { makePostgresTemplate, noPostgres, type PostgresServer, startPostgres } from './postgres.ts'
import { noRedis, type RedisServer, startRedis } from './redis.ts'

/** The servers that all test files share: those named by the environment, or else private ones while the tests run. */

let template: ReturnType<typeof makePostgresTemplate>
let postgres: PostgresServer | undefined
let redis: RedisServer | undefined

export async function globalSetup(): Promise<void> {
  template = makePostgresTemplate()
  if (!process.env.PETSTORE_TEST_POSTGRES_URL && !noPostgres) {
    postgres = await startPostgres()
    process.env.PETSTORE_TEST_POSTGRES_URL = postgres.url
  }
  if (!process.env.PETSTORE_TEST_REDIS_URL && !noRedis) {
    redis = await startRedis()
    process.env.PETSTORE_TEST_REDIS_URL = redis.url
  }
}

export async function globalTeardown(): Promise<void> {
  await postgres?.close()
  await redis?.close()
  template?.remove()
}
