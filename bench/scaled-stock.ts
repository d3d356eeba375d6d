import type { Client } from 'pg'
import { generateKey } from '../src/domain/api-key.ts'
import { hashSecret, hintOf } from '../src/domain/secret.ts'

/** The keys and row sizes of a large store, which is filled with SQL. */
export interface ScaledStock {
  /** The key of an account with practically unlimited calls. */
  key: string
  /** More keys of that account, and keys of accounts with one key each. */
  moreKeys: string[]
  otherKeys: string[]
  /** Keys of accounts with one call per minute. */
  strictKeys: string[]
  /** The size of a row of each table in bytes, including indexes. */
  bytesPerRow: Record<string, number>
}

export const ANIMALS = 1_000_000
/** The number of pending animals: one page that is not full. */
export const PENDING = 19
const ROWS = 100_000
const KEYS = 4_000
const STRICT = 200

export async function fillStore(client: Client): Promise<ScaledStock> {
  await client.query(
    `INSERT INTO pet (id, name, category_id, status) SELECT id, 'Some animal ' || id, id % 7,
      CASE WHEN id <= $2 THEN 'pending' WHEN id % 2 = 0 THEN 'available' ELSE 'sold' END FROM generate_series(1, $1) AS id`,
    [ANIMALS, PENDING],
  )
  await client.query("SELECT setval('pet_id', $1)", [ANIMALS])
  const [unlimited] = await addAccounts(client, 'unlimited', 1, 1_000_000_000)
  const others = await addAccounts(client, 'other', KEYS, 1_000_000)
  const strict = await addAccounts(client, 'strict', STRICT, 1)
  const more = Array.from({ length: KEYS }, () => unlimited as string)
  const [[key], moreKeys, otherKeys, strictKeys] = [
    await addKeys(client, [unlimited as string]),
    await addKeys(client, more),
    await addKeys(client, others),
    await addKeys(client, strict),
  ]
  await client.query(
    `INSERT INTO idempotent_creation (account_id, key, fingerprint, created_at, pet_id, name, category_id, status)
      SELECT 1, gen_random_uuid(), encode(sha256(id::text::bytea), 'hex'), extract(epoch FROM now()) * 1000, id,
        'Some animal ' || id, id % 7, 'available' FROM generate_series(1, $1) AS id`,
    [ROWS],
  )
  await client.query(
    `INSERT INTO usage (day, account_id, key_id, operation, admitted, refused, banned, status_2xx, status_3xx, status_4xx,
        status_5xx, last_at) SELECT 20000, id, id, 'listPets', 1, 0, 0, 1, 0, 0, 0, 0 FROM generate_series(1, $1) AS id`,
    [ROWS],
  )
  await client.query('ANALYZE')
  await client.query('CHECKPOINT')
  const bytesPerRow: Record<string, number> = {}
  for (const table of ['pet', 'account', 'api_key', 'idempotent_creation', 'usage']) {
    const { rows } = await client.query(
      `SELECT pg_total_relation_size('${table}')::float8 / count(*) AS bytes FROM ${table}`,
    )
    bytesPerRow[table] = rows[0].bytes
  }
  return { key: key as string, moreKeys, otherKeys, strictKeys, bytesPerRow }
}

async function addAccounts(client: Client, name: string, count: number, perMinute: number): Promise<string[]> {
  const { rows } = await client.query(
    `INSERT INTO account (name, plan, per_minute, per_day, created_at)
      SELECT $1 || ' ' || number, 'enterprise', $3, 1000000000, 0 FROM generate_series(1, $2) AS number RETURNING id::text`,
    [name, count, perMinute],
  )
  return rows.map(({ id }) => id)
}

async function addKeys(client: Client, accountIds: readonly string[]): Promise<string[]> {
  const keys = accountIds.map(() => generateKey('production'))
  await client.query(
    `INSERT INTO api_key (account_id, hash, hint, created_at)
      SELECT account_id, hash, hint, 0 FROM unnest($1::int8[], $2::text[], $3::text[]) AS one (account_id, hash, hint)`,
    [accountIds, keys.map(hashSecret), keys.map(hintOf)],
  )
  return keys
}
