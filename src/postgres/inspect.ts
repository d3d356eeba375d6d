import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Client } from 'pg'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { COMMAND_CONNECT_MS, Connection, nameOf } from './connection.ts'
import { findStore, listMigrations, mistakeOf } from './migrate.ts'
import { SERVING_LOCKS } from './until-known.ts'

/** What a PostgreSQL server tells of itself and of one of its databases. */
export interface Database {
  /** Host, port and database. */
  name: string
  /** Such as 15.20. */
  version: string
  /** A standby, or a database whose transactions only read. */
  isReadOnly: boolean
  /** Settings that are off, without which a crash of the server or of its machine takes away what was committed. */
  notOnDisk: string[]
  /** Of the whole server. */
  connections: { open: number; most: number }
  /** By how much its clock is ahead of this machine's; less than 0 where it is behind. */
  clockAheadMs: number
  bytes: number
  /** Undefined: there is none yet. A mistake: why there is none that can be used. */
  store: StoredStore | Mistake | undefined
  /** To which this program brings a store. */
  newestStoreVersion: number
  /** Whether a store can be made, or brought to another version. */
  mayMakeTables: boolean
}

/** The store in a database. */
export interface StoredStore {
  deployment: Deployment
  /** How many migrations it has seen. */
  version: number
  /** The highest id that an animal was ever given, 0 if none was. */
  newestPetId: bigint
  accounts: number
  keys: number
  /** What its tables and their indexes take. */
  bytes: number
  /** Administrators' tokens that let their holders in now. */
  usableAdminTokens: number
  /** The newest time that is written down, in Unix milliseconds. */
  newestTime: number | undefined
  /** How many instances of the service are running on it. */
  instances: number
}

/** Counting the accounts and keys of a large store takes a while. */
const ANSWER_TIMEOUT_MS = 30_000
const NOTIFICATION_TIMEOUT_MS = 2_000

/**
 * Asks a database, and writes nothing.
 * @param now Unix milliseconds
 * @throws Mistake when it cannot be reached or asked
 */
export async function inspectDatabase(url: string, now: number): Promise<Database> {
  const name = nameOf(url)
  try {
    return await withClient(url, async client => {
      const clockAheadMs = await measureClock(client)
      const server = (await client.query(SERVER)).rows[0]
      return {
        name,
        version: server.version.split(' ')[0],
        isReadOnly: server.is_read_only,
        notOnDisk: MUST_BE_ON.filter(setting => server[setting] === 'off'),
        connections: { open: Number(server.open), most: Number(server.most) },
        clockAheadMs,
        bytes: Number(server.bytes),
        store: await inspectStore(client, name, now),
        newestStoreVersion: listMigrations().length,
        mayMakeTables: server.may_make_tables ?? false,
      }
    })
  } catch (error) {
    throw mistakeOf(error, name)
  }
}

async function inspectStore(client: Client, name: string, now: number): Promise<StoredStore | Mistake | undefined> {
  try {
    if (!(await findStore(client, name))) return undefined
    return storeOf((await client.query(STORE, [now])).rows[0])
  } catch (error) {
    const mistake = mistakeOf(error, name)
    if (mistake instanceof Mistake) return mistake
    throw error
  }
}

/**
 * Whether a connection is a session of the server, and is told what another one notifies it of. Behind a pooler that gives each
 * transaction another connection it is not.
 * @throws Mistake when there can be no two connections, or the server does not let them listen
 */
export async function hasSessions(url: string): Promise<boolean> {
  const channel = `petstore_doctor_${randomBytes(8).toString('hex')}`
  const notify = (listener: Client) =>
    withClient(url, async teller => {
      const told = once(listener, 'notification', { signal: AbortSignal.timeout(NOTIFICATION_TIMEOUT_MS) }).then(
        () => true,
        () => false,
      )
      const process = await processOf(listener)
      const isSame = (await processOf(listener)) === process
      await listener.query(`LISTEN ${channel}`)
      await teller.query(`NOTIFY ${channel}`)
      return isSame && (await told)
    })
  try {
    return await withClient(url, notify)
  } catch (error) {
    throw mistakeOf(error, nameOf(url))
  }
}

async function processOf(client: Client): Promise<number> {
  return (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const bounds = { connectMs: COMMAND_CONNECT_MS, answerMs: ANSWER_TIMEOUT_MS, statementMs: ANSWER_TIMEOUT_MS }
  const client = await new Connection(url, bounds).open()
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

async function measureClock(client: Client): Promise<number> {
  const askedAt = Date.now()
  const { rows } = await client.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')
  return Number(rows[0].now) - (askedAt + Date.now()) / 2
}

const MUST_BE_ON = ['fsync', 'synchronous_commit', 'full_page_writes'] as const

/** A setting that another engine does not know is null. */
const SERVER = `SELECT
    current_setting('server_version') AS version,
    pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS is_read_only,
    ${MUST_BE_ON.map(name => `current_setting('${name}', true) AS ${name}`).join(', ')},
    (SELECT sum(numbackends) FROM pg_stat_database) AS open,
    current_setting('max_connections') AS most,
    pg_database_size(current_database()) AS bytes,
    has_schema_privilege(current_schema(), 'CREATE') AS may_make_tables`

/** The newest times are found by indexes. */
const STORE = `SELECT deployment, version,
    (SELECT last_value FROM pet_id) AS newest_pet_id,
    (SELECT count(*) FROM account) AS accounts,
    (SELECT count(*) FROM api_key) AS keys,
    (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
      WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'store'::regclass)) AS bytes,
    (SELECT count(*) FROM operator_token
      WHERE role = 'admin' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1)) AS usable_admin_tokens,
    greatest(
      (SELECT at FROM audit ORDER BY id DESC LIMIT 1),
      (SELECT created_at FROM account ORDER BY id DESC LIMIT 1),
      (SELECT created_at FROM api_key ORDER BY id DESC LIMIT 1),
      (SELECT started_at FROM ban ORDER BY id DESC LIMIT 1),
      (SELECT max(created_at) FROM idempotent_creation)
    ) AS newest_time,
    (SELECT count(DISTINCT locks.pid) FROM pg_locks AS locks WHERE ${SERVING_LOCKS}) AS instances
  FROM store`

// biome-ignore lint/suspicious/noExplicitAny: a row as the driver has it
function storeOf(row: any): StoredStore {
  return {
    deployment: row.deployment,
    version: Number(row.version),
    newestPetId: row.newest_pet_id,
    accounts: Number(row.accounts),
    keys: Number(row.keys),
    bytes: Number(row.bytes),
    usableAdminTokens: Number(row.usable_admin_tokens),
    newestTime: row.newest_time === null ? undefined : Number(row.newest_time),
    instances: Number(row.instances),
  }
}
