import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { UserError } from '../domain/errors.ts'
import type { Source } from '../domain/source.ts'
import { isIndexRight } from '../sql/pet-check.ts'
import { sourcesFound } from '../sql/sources.ts'
import { MAKER, type StoreFacts } from '../sql/store-facts.ts'
import { carryOut } from '../sql/write.ts'
import type { Connection } from './connection.ts'
import { POSTGRES } from './dialect.ts'
import { type DeniedRight, findDeniedRight } from './find-denied-right.ts'
import { COUNT_EARLIER } from './finish-upgrade.ts'
import { findStore, MIGRATIONS, SEEN_MIGRATIONS, SIDE_BY_SIDE, toUserError, withDatabase } from './migrate.ts'

/** The state of a PostgreSQL server and of one of its databases. */
export interface Database {
  /** Host, port and database. */
  name: string
  /** Such as 15.20. */
  version: string
  /** A standby, or a database whose transactions only read. */
  isReadOnly: boolean
  /** Settings that are off, so that a crash loses commits. */
  notOnDisk: string[]
  /** Whether a standby follows it now. */
  hasStandby: boolean
  /** Whether a commit waits until a standby has it. */
  waitsForStandby: boolean
  /** Statements that reset the settings of this user that would end or refuse what the service does. */
  remedies: string[]
  /** For the whole server. */
  connections: { open: number; most: number }
  /** How far its clock is ahead of this machine's; negative when it is behind. */
  clockAheadMs: number
  bytes: number
  /** Undefined if there is none yet; a UserError if it cannot be used. */
  store: StoredStore | UserError | undefined
  /** The version to which this program migrates a store. */
  newestStoreVersion: number
  /** Whether a store can be created or migrated. */
  mayMakeTables: boolean
  /** A right on the tables of a store of this version that this user lacks. */
  denied: DeniedRight | undefined
}

interface StoredStore extends StoreFacts {
  idsDrawnAtOnce: number
  /** Whether instances of earlier releases may still use it, although it has the tables of this one. */
  isUpgradeUnfinished: boolean
  accounts: number
  keys: number
  /** The size of its tables and their indexes. */
  bytes: number
  instances: number
}

/** Counting the accounts and keys of a large store takes time. */
const ANSWER_MS = 30_000
/** Instances renew their leases more often. */
const RENEWAL_MS = 1_500

/**
 * Inspects a database without writing to it.
 * @param now Unix milliseconds
 * @throws UserError when it cannot be reached or queried
 */
export function inspectDatabase(url: string, now: number): Promise<Database> {
  return withDatabase(url, ANSWER_MS, async (client, name) => {
    const clockAheadMs = await measureClock(client)
    const { open, most, user, settings, ...server } = (await client.query(SERVER)).rows[0]
    const store = await inspectStore(client, name, now)
    const isCurrent = store !== undefined && !(store instanceof UserError) && store.version === MIGRATIONS.length
    return {
      ...server,
      name,
      notOnDisk: MUST_BE_ON.filter(setting => settings[setting] === 'off'),
      remedies: Object.entries(SUITABLE)
        .filter(([setting, value]) => ![null, value].includes(settings[setting]))
        .map(([setting, value]) => `ALTER ROLE ${user} SET ${setting} = '${value}'`),
      connections: { open, most },
      clockAheadMs,
      store,
      denied: isCurrent && !server.isReadOnly ? await findDeniedRight(client) : undefined,
      newestStoreVersion: MIGRATIONS.length,
    }
  })
}

type InspectedStore = Omit<StoredStore, 'instances'> & { earlierInstances: number }

async function inspectStore(
  client: Connection,
  name: string,
  now: number,
): Promise<StoredStore | UserError | undefined> {
  try {
    if (!(await findStore(client, name))) return undefined
    const [row] = (await client.ask<InspectedStore>({ text: STORE, values: [now] })).rows as [InspectedStore]
    const { newestTime, clockConfirmedAt, earlierInstances, ...store } = row
    const renewing = store.version === MIGRATIONS.length ? await countRenewing(client) : 0
    return {
      ...store,
      instances: earlierInstances + renewing,
      newestTime: newestTime ?? undefined,
      clockConfirmedAt: clockConfirmedAt ?? undefined,
    }
  } catch (error) {
    const userError = toUserError(error, name)
    if (userError instanceof UserError) return userError
    throw error
  }
}

/** How many instances renew their leases. The rows of those that have ended without notice stay until others find out. */
async function countRenewing(client: Client): Promise<number> {
  const read = async () =>
    (await client.query<{ id: bigint; renewals: bigint }>('SELECT id, renewals FROM instance')).rows
  const before = new Map((await read()).map(({ id, renewals }) => [id, renewals]))
  if (before.size === 0) return 0
  await sleep(RENEWAL_MS)
  return (await read()).filter(({ id, renewals }) => before.get(id) !== renewals).length
}

/**
 * Whether the counts and the index of the store match its animals. A store of an older version has none.
 * @throws UserError when that takes too long
 */
export function hasRightIndex(url: string): Promise<boolean> {
  const query = isIndexRight(POSTGRES)
  return withDatabase(url, ANSWER_MS, async client => query.resultOf(await client.run(query)))
}

/** The sources of a store of this version. */
export function readSources(url: string): Promise<Source[]> {
  return withDatabase(url, ANSWER_MS, client => carryOut(sourcesFound({}), statement => client.run(statement)))
}

/** Who made the store in a database; null if there is none. */
export function readMaker(url: string): Promise<string | null> {
  return withDatabase(url, ANSWER_MS, async (client, name) =>
    (await findStore(client, name)) ? MAKER.resultOf(await client.run(MAKER)) : null,
  )
}

async function measureClock(client: Client): Promise<number> {
  const askedAt = Date.now()
  const { rows } = await client.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')
  return Number(rows[0].now) - (askedAt + Date.now()) / 2
}

const MUST_BE_ON = ['fsync', 'synchronous_commit', 'full_page_writes'] as const

/** Transactions set their other limits. With another isolation, statements that meet are repeated. */
const SUITABLE = { default_transaction_isolation: 'read committed', lock_timeout: '0', transaction_timeout: '0' }

/** Settings that the server does not have are null. */
const SERVER = `SELECT
    split_part(current_setting('server_version'), ' ', 1) AS version,
    current_setting('transaction_read_only')::boolean AS "isReadOnly",
    EXISTS (SELECT FROM pg_stat_replication) AS "hasStandby",
    coalesce(current_setting('synchronous_standby_names', true), '') <> ''
      AND coalesce(current_setting('synchronous_commit', true), 'on') NOT IN ('off', 'local') AS "waitsForStandby",
    json_build_object(${[...MUST_BE_ON, ...Object.keys(SUITABLE)].map(name => `'${name}', current_setting('${name}', true)`).join(', ')}) AS settings,
    quote_ident(current_user) AS user,
    (SELECT sum(numbackends) FROM pg_stat_database)::int AS open,
    current_setting('max_connections')::int AS most,
    pg_database_size(current_database())::float AS bytes,
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayMakeTables"`

/** Uses indexes to find the newest times. Accounts and keys are not newer than the entries of the audit log about them. */
const STORE = `SELECT deployment, ${SEEN_MIGRATIONS}::int AS version,
    (SELECT last_value FROM pet_id) AS "newestPetId",
    (SELECT seqcache::int FROM pg_sequence WHERE seqrelid = 'pet_id'::regclass) AS "idsDrawnAtOnce",
    version < ${SIDE_BY_SIDE} AS "isUpgradeUnfinished",
    (SELECT count(*)::int FROM account) AS accounts,
    (SELECT count(*)::int FROM api_key) AS keys,
    (SELECT sum(pg_total_relation_size(oid))::float FROM pg_class
      WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'store'::regclass)) AS bytes,
    (SELECT count(*)::int FROM operator_token
      WHERE role = 'admin' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1)) AS "usableAdminTokens",
    greatest(
      (SELECT at FROM audit ORDER BY id DESC LIMIT 1),
      (SELECT started_at FROM ban ORDER BY id DESC LIMIT 1),
      (SELECT max(created_at) FROM idempotent_creation)
    )::float AS "newestTime",
    (to_jsonb(store) ->> 'clock_confirmed_at')::float AS "clockConfirmedAt",
    ${COUNT_EARLIER} AS "earlierInstances"
  FROM store`
