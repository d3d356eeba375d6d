import type { TestContext } from 'node:test'
import { Client } from 'pg'
import { PostgresStore, type PostgresStoreOptions } from '../../../src/postgres/store.ts'
import { skip } from './needs.ts'
import { makeDatabase, noPostgres } from './postgres.ts'

/** An empty schema, and the stores that a test opens in it. All of it ends with the test. */
export interface PostgresPlace {
  url: string
  open(options?: PostgresStoreOptions): Promise<PostgresStore>
  /** Runs SQL in it, without parameters. */
  run(sql: string): Promise<Record<string, unknown>[]>
  /** Runs SQL in a session of its own, in a transaction that lasts until what is returned commits it. */
  hold(sql: string): Promise<() => Promise<void>>
}

/** Undefined, and the test is skipped, where there is no PostgreSQL. */
export async function makePostgresPlace(t: TestContext): Promise<PostgresPlace | undefined> {
  if (noPostgres) return void skip(t, noPostgres)
  const { url, run, drop } = await makeDatabase()
  const opened = new AsyncDisposableStack()
  opened.defer(drop)
  t.after(() => opened.disposeAsync())
  return {
    url,
    run,
    async open(options = {}) {
      const store = await PostgresStore.open(url, 'production', options)
      opened.defer(() => store.close())
      return store
    },
    async hold(sql) {
      const client = new Client({ connectionString: url })
      await client.connect()
      opened.defer(() => client.end())
      await client.query(`BEGIN; ${sql}`)
      return async () => void (await client.query('COMMIT'))
    },
  }
}
