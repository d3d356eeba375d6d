import type { TestContext } from 'node:test'
import { Client } from 'pg'
import type { OpenedTransfer } from '../../../src/domain/pet-transfer.contract.ts'
import type { OpenedStore } from '../../../src/domain/store.contract.ts'
import { openPostgresTransfer } from '../../../src/postgres/pet-transfer.ts'
import { PostgresStore, type PostgresStoreOptions } from '../../../src/postgres/store.ts'
import type { Cleanup } from '../cleanup.ts'
import { skip } from './needs.ts'
import { makeDatabase, noPostgres, query, type TestDatabase } from './postgres.ts'

type EmptySchema = Pick<TestDatabase, 'url' | 'drop'>
type MakeSchema = () => Promise<EmptySchema>

/** An empty schema, and the stores that a test opens in it. They are removed after the test. */
export interface PostgresPlace {
  url: string
  open(options?: PostgresStoreOptions): Promise<PostgresStore>
  /** Runs SQL in it, without parameters. */
  run(sql: string): Promise<Record<string, unknown>[]>
  /** Runs SQL in a separate session, in a transaction that is open until the returned function commits it, after more SQL. */
  hold(sql: string): Promise<(more?: string) => Promise<void>>
  /** The processes of the sessions in this schema that are waiting for a lock. Other tests have theirs in the same database. */
  waiting(): Promise<number[]>
}

/** Undefined, and the test is skipped, if PostgreSQL cannot run. */
export async function makePostgresPlace(t: TestContext): Promise<PostgresPlace | undefined> {
  if (noPostgres) return void skip(t, noPostgres)
  return makePlaceIn(t, makeDatabase)
}

/** The same in a schema that is created in another way, such as behind a pooler. */
export async function makePlaceIn(t: Cleanup, make: MakeSchema): Promise<PostgresPlace> {
  const { url, drop } = await make()
  const opened = new AsyncDisposableStack()
  opened.defer(drop)
  t.after(() => opened.disposeAsync())
  return {
    url,
    run: sql => query(url, sql),
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
      return async (more = '') => void (await client.query(`${more}; COMMIT`))
    },
    waiting: async () => (await query(url, WAITING)).map(({ pid }) => Number(pid)),
  }
}

/** An advisory lock belongs to a table, too: `take_turn`. A session that waits for a row has locked its table. */
const WAITING = `WITH own AS (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace),
    lock AS (SELECT pid, relation, classid FROM pg_locks JOIN pg_database ON oid = database WHERE datname = current_database())
  SELECT DISTINCT pid FROM lock JOIN pg_locks AS waiting USING (pid)
  WHERE NOT granted AND (lock.relation IN (SELECT oid FROM own) OR lock.classid IN (SELECT oid FROM own))`

/** A store for the contract tests, which can reopen it. */
export async function openForContract(make: MakeSchema): Promise<OpenedStore> {
  const { url, drop } = await make()
  const open = () => PostgresStore.open(url, 'production', { instances: 'many' })
  let store = await open()
  return {
    store,
    async reopen() {
      await store.close()
      store = await open()
      return store
    },
    async close() {
      await store.close()
      await drop()
    },
  }
}

export interface OpenedTransferIn<Schema> extends OpenedTransfer {
  database: Schema
}

/** A store with its imports and exports, for their contract tests. */
export async function openTransfer<Schema extends EmptySchema>(
  make: () => Promise<Schema>,
): Promise<OpenedTransferIn<Schema>> {
  const database = await make()
  const store = await PostgresStore.open(database.url, 'production')
  const others: OpenedTransfer[] = []
  return {
    database,
    store,
    transfer: await openPostgresTransfer(database.url, 'production'),
    async openOther() {
      const other = await openTransfer(make)
      others.push(other)
      return other
    },
    async close() {
      for (const other of others) await other.close()
      await store.close()
      await database.drop()
    },
  }
}
