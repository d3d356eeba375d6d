import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { DEPLOYMENTS, type Deployment } from '../domain/deployment.ts'
import { conflict, UserError } from '../domain/errors.ts'
import { reasonOf } from '../domain/system-error.ts'
import { ensureDeployment, ensureSupported, readMigrations } from '../sql/migrations.ts'
import { nameOf } from './address.ts'
import { COMMAND_CONNECT_MS, Connection } from './connection.ts'
import { TAKE_TURN_OF_ANIMALS, TAKE_TURN_OF_OTHERS } from './dialect.ts'
import { isDenied } from './pool.ts'

/** In order; see sql/migrations.ts. */
export const MIGRATIONS = readMigrations(new URL('migrations/', import.meta.url))

/**
 * The minimum number of migrations that a program must know to work with a store to which all of them have been applied. As long as later
 * migrations only add to the tables, instances of the previous release can run alongside this one; `migrations.test.ts` checks that.
 */
export const KNOWN_BY_OLDEST = 1

/**
 * What programs must know to use a store in which instances create animals side by side: `begin_creation` of this migration. After an upgrade, an
 * instance raises `version` to it (finish-upgrade.ts).
 */
export const SIDE_BY_SIDE = 10

/** The migration since which writes take turns. */
const TURNS = 12

/** Timeout of each statement of a migration, and of the wait for another instance to finish migrating. */
const MIGRATION_MS = 600_000
/** Timeout of any other statement. */
const ANSWER_MS = 10_000

/** Tables that every version has. */
const OWN_TABLES = ['store', 'account', 'api_key', 'pet', 'revision']

/** Exists while a store is being moved into the database. */
export const MOVE_TABLE = 'store_move'

interface SchemaContents {
  schema: string | null
  encoding: string
  has_icu: boolean
  synchronous_commit: string
  /** The number of tables and other objects, without those of extensions. */
  things: bigint
  own: bigint
  is_half_moved: boolean
}

/**
 * Creates the store in the default schema of the URL's connections, or migrates it to this version. Several instances may do so
 * concurrently.
 * @throws UserError when the database cannot be used, or holds anything but a store of this deployment, of this version or an older one
 */
export async function prepareDatabase(url: string, deployment: Deployment): Promise<void> {
  const readVersion = async (client: Client, name: string) => {
    const store = await findStore(client, name)
    if (store) ensureDeployment(`The store in ${name}`, store.deployment, deployment)
    return store?.version ?? 0
  }
  if ((await withDatabase(url, ANSWER_MS, readVersion)) >= MIGRATIONS.length) return
  await withDatabase(url, MIGRATION_MS, async (client, name) => {
    await client.begin(LOCK_MIGRATIONS)
    await migrate(client, await readVersion(client, name), deployment)
    await client.finish('COMMIT')
    client.ensureReplicated()
  })
}

/** Whether a database has a store of this version. Changes nothing. */
export async function isCurrentDatabase(url: string): Promise<boolean> {
  const store = await withDatabase(url, ANSWER_MS, findStore)
  return store !== undefined && store.version >= MIGRATIONS.length
}

/**
 * @param answerMs the timeout of each statement
 * @throws UserError when the database cannot be reached or used
 */
export async function withDatabase<Result>(
  url: string,
  answerMs: number,
  work: (client: Connection, name: string) => Promise<Result>,
): Promise<Result> {
  const name = nameOf(url)
  try {
    const timeouts = { connectMs: COMMAND_CONNECT_MS, answerMs, statementMs: answerMs }
    await using client = await new Connection(url, timeouts).open()
    return await work(client, name)
  } catch (error) {
    throw toUserError(error, name)
  }
}

/** Held until the end of the transaction. The schema is part of the key because each schema has its own store. */
const LOCK_MIGRATIONS = "SELECT pg_advisory_xact_lock(hashtextextended('petstore migrations ' || current_schema(), 0))"

async function migrate(client: Client, version: number, deployment: Deployment): Promise<void> {
  // Before all other rows and tables, as operators' writes on other instances do.
  if (version > 0) await client.query(lockOf(version))
  for (const text of MIGRATIONS.slice(version)) await client.query(text)
  if (version === 0) {
    await client.query('INSERT INTO store (deployment, cursor_secret, version) VALUES ($1, $2, 0)', [
      deployment,
      randomBytes(32),
    ])
  }
  if (version >= MIGRATIONS.length) return
  // A new store has not been used by older instances.
  const mustBeKnown = version === 0 ? SIDE_BY_SIDE : KNOWN_BY_OLDEST
  await client.query(SET_VERSION, [MIGRATIONS.length, mustBeKnown])
}

/** What keeps operators' writes away from a store with these migrations. */
function lockOf(version: number): string {
  const turns = `${TAKE_TURN_OF_OTHERS}; ${TAKE_TURN_OF_ANIMALS};`
  return `${version < TURNS ? '' : turns} SELECT FROM revision FOR UPDATE`
}

/** What had to be known before must still be known. Without `migrations`, `version` had another meaning (0005_older_instances.sql). */
const SET_VERSION = `UPDATE store SET migrations = $1,
  version = CASE WHEN migrations IS NULL THEN $2 ELSE greatest(version, $2) END`

interface StoreRow {
  deployment: Deployment
  /** The number of migrations applied to the store. May be more than this program knows. */
  version: number
}

/**
 * Finds the store of the connection's schema; undefined when the schema is empty.
 * @throws UserError when the database cannot hold a store, or the schema holds something else or a store of a newer version
 */
export async function findStore(client: Client, name: string): Promise<StoreRow | undefined> {
  const contents = (await client.query<SchemaContents>(READ_SCHEMA, [OWN_TABLES])).rows[0] as SchemaContents
  const obstacle = findObstacle(contents, name)
  if (obstacle) throw conflict(obstacle)
  if (contents.things === 0n) return undefined
  const row = (await client.query(`SELECT deployment, version, ${SEEN_MIGRATIONS} AS migrations FROM store`)).rows[0]
  if (!DEPLOYMENTS.includes(row?.deployment)) throw conflict(notAStore(contents, name))
  ensureSupported(`The store in ${name}`, Number(row.version), MIGRATIONS.length)
  return { deployment: row.deployment, version: Number(row.migrations) }
}

/** An older store does not have this column; its version is the number of migrations. */
export const SEEN_MIGRATIONS = "coalesce((to_jsonb(store) ->> 'migrations')::bigint, version)"

/** One statement, because another instance may be creating the store at this moment. */
const READ_SCHEMA = `SELECT current_schema() AS schema, current_setting('server_encoding') AS encoding,
    EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') AS has_icu,
    current_setting('synchronous_commit') AS synchronous_commit, count(*) AS things,
    count(*) FILTER (WHERE relkind IN ('r', 'p') AND relname = ANY ($1)) AS own,
    count(*) FILTER (WHERE relname = '${MOVE_TABLE}') > 0 AS is_half_moved
  FROM pg_class
  WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
    AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
    AND NOT EXISTS (
      SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e'
    )`

/** Why a store is not possible here, and what to do about it. */
function findObstacle(contents: SchemaContents, name: string): string | undefined {
  const { schema, encoding, has_icu, synchronous_commit, things, own, is_half_moved } = contents
  if (encoding !== 'UTF8') {
    return `The database ${name} has the encoding ${encoding}, which cannot store every name: create a database WITH ENCODING 'UTF8'.`
  }
  if (schema === null) {
    return `The connection finds no schema in ${name}: create the schema that options=-csearch_path names.`
  }
  if (!has_icu) {
    return `The server of ${name} was built without ICU, which name search requires: use a server with ICU; all common packages include it.`
  }
  if (synchronous_commit === 'off') {
    return `The database ${name} acknowledges a commit before it is on disk, so a crash would lose it: set synchronous_commit to on.`
  }
  if (is_half_moved) {
    return `A store is being moved into ${name}: first finish the move, with the same petstore migrate-store command that started it.`
  }
  return things > 0n && own !== BigInt(OWN_TABLES.length) ? notAStore(contents, name) : undefined
}

function notAStore({ schema }: SchemaContents, name: string): string {
  return `The schema ${schema} of ${name} holds something other than a Petstore store: create a database for the store alone, or a schema, and name that in the URL with options=-csearch_path%3DSCHEMA.`
}

/** Explains that a database cannot be used. The driver's messages contain no password. */
export function toUserError(error: unknown, name: string): unknown {
  if (error instanceof UserError || !(error instanceof Error)) return error
  if (isDenied(error)) {
    return conflict(`The database ${name} cannot be used (${error.message}): grant its user the missing privileges.`)
  }
  const { code, path } = error as NodeJS.ErrnoException
  // The file of a certificate that the URL names.
  const file = path === undefined ? '' : ` (${path})`
  return conflict(`The database ${name} cannot be used: ${reasonOf(error) || code}${file}.`)
}
