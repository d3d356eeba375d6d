import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { type Client, DatabaseError } from 'pg'
import { DEPLOYMENTS, type Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { answeredWithin, COMMAND_CONNECT_MS, Connection, nameOf } from './connection.ts'

const MIGRATIONS_FOLDER = new URL('migrations/', import.meta.url)

/** How long another instance may take to change the tables, and each statement of a migration. */
const MIGRATION_MS = 600_000
/** How long the database may take for any other answer. */
const ANSWER_MS = 10_000

/** Tables that every version has. */
const OWN_TABLES = ['store', 'account', 'api_key', 'pet', 'revision']

/** Is there for as long as a store is being moved into the database. */
export const MOVE_TABLE = 'store_move'

interface Place {
  schema: string | null
  encoding: string
  has_icu: boolean
  synchronous_commit: string
  /** Tables and the like that belong to no extension. */
  things: bigint
  own: bigint
  is_half_moved: boolean
}

/**
 * Makes the store in the schema that the URL's connections work in, and brings it to this version. Several instances may do so at
 * once.
 * @throws Mistake when the database cannot be used, or holds something else, or a store of a newer version or of the other deployment
 */
export async function prepareDatabase(url: string, deployment: Deployment): Promise<void> {
  try {
    const bounds = { connectMs: COMMAND_CONNECT_MS, answerMs: ANSWER_MS, statementMs: MIGRATION_MS }
    const client = await new Connection(url, bounds).open()
    try {
      await prepare(client, nameOf(url), deployment)
    } finally {
      await client.close()
    }
  } catch (error) {
    throw mistakeOf(error, nameOf(url))
  }
}

async function prepare(client: Client, name: string, deployment: Deployment): Promise<void> {
  const find = async () => {
    const store = await findStore(client, name)
    if (store && store.deployment !== deployment) throw otherDeployment(name, store.deployment, deployment)
    return store
  }
  const newest = listMigrations().length
  if ((await find())?.version === newest) return
  await client.query('BEGIN')
  await client.query({ text: LOCK_MIGRATIONS, ...answeredWithin(MIGRATION_MS) })
  await migrate(client, (await find())?.version ?? 0, deployment)
  await client.query('COMMIT')
}

/** Ends with the transaction. Hashed with the schema, for each has its own store. */
const LOCK_MIGRATIONS = "SELECT pg_advisory_xact_lock(hashtextextended('petstore migrations ' || current_schema(), 0))"

function otherDeployment(name: string, own: Deployment, wanted: Deployment): Mistake {
  return new Mistake('conflict', `The store in ${name} belongs to ${own}; it cannot be opened as ${wanted}.`)
}

interface StoreRow {
  deployment: Deployment
  version: number
}

/**
 * The store that is there already, if there is one.
 * @throws Mistake when there can be none, or it is of a newer version
 */
export async function findStore(client: Client, name: string): Promise<StoreRow | undefined> {
  const place = (await client.query<Place>(LOOK, [OWN_TABLES])).rows[0] as Place
  const unfit = unfitness(place, name)
  if (unfit) throw new Mistake('conflict', unfit)
  if (place.things === 0n) return undefined
  const row = (await client.query('SELECT deployment, version FROM store')).rows[0]
  const version = Number(row?.version)
  if (!DEPLOYMENTS.includes(row?.deployment)) throw new Mistake('conflict', notAStore(place, name))
  const newest = listMigrations().length
  if (version > newest) {
    throw new Mistake(
      'conflict',
      `The store in ${name} is of version ${version}, this program knows ${newest}: a newer one wrote it.`,
    )
  }
  return { deployment: row.deployment, version }
}

/** One statement, for another instance may be making the store just now. */
const LOOK = `SELECT current_schema() AS schema, current_setting('server_encoding') AS encoding,
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

/** Why there can be no store in this place, and what to do about it. */
function unfitness(place: Place, name: string): string | undefined {
  const { schema, encoding, has_icu, synchronous_commit, things, own, is_half_moved } = place
  if (encoding !== 'UTF8') {
    return `The database ${name} is encoded in ${encoding}, which cannot hold every name: create one WITH ENCODING 'UTF8'.`
  }
  if (schema === null) {
    return `There is no schema in ${name} that the connection may work in: create the one that options=-csearch_path names.`
  }
  if (!has_icu) {
    return `The server of ${name} was built without ICU, by which names are searched in any script: use one that has it, as all usual packages do.`
  }
  if (synchronous_commit === 'off') {
    return `The database ${name} answers before what it wrote is on its disk, which a crash would lose: set synchronous_commit to on.`
  }
  if (is_half_moved) {
    return `A store is being moved into ${name}; finish that first, with the same petstore migrate-store as it was begun.`
  }
  return things > 0n && own !== BigInt(OWN_TABLES.length) ? notAStore(place, name) : undefined
}

function notAStore({ schema }: Place, name: string): string {
  return `The schema ${schema} of ${name} holds something other than a Petstore store: create a database for it alone, or a schema, which options=-csearch_path%3DSCHEMA in the URL names.`
}

/** The file names of the migrations, in their order. A store's version is how many of them it has seen. */
export function listMigrations(): string[] {
  return readdirSync(MIGRATIONS_FOLDER).sort()
}

async function migrate(client: Client, version: number, deployment: Deployment): Promise<void> {
  const unseen = listMigrations().slice(version)
  for (const migration of unseen) {
    const text = readFileSync(new URL(migration, MIGRATIONS_FOLDER), 'utf8')
    await client.query({ text, ...answeredWithin(MIGRATION_MS) })
  }
  if (version === 0) {
    await client.query('INSERT INTO store (deployment, cursor_secret, version) VALUES ($1, $2, 0)', [
      deployment,
      randomBytes(32),
    ])
  }
  if (unseen.length > 0) await client.query('UPDATE store SET version = $1', [version + unseen.length])
}

const INSUFFICIENT_PRIVILEGE = '42501'

/** What a person reads when a database cannot be used. The driver's messages bear no password. */
export function mistakeOf(error: unknown, name: string): unknown {
  if (error instanceof Mistake || !(error instanceof Error)) return error
  const { code, message } = error as Error & { code?: string }
  if (error instanceof DatabaseError && code === INSUFFICIENT_PRIVILEGE) {
    return new Mistake('conflict', `The database ${name} cannot be used (${message}): grant its user what is missing.`)
  }
  return new Mistake('conflict', `The database ${name} cannot be used: ${message || code}.`)
}
