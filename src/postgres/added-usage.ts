import type { KeyUsage, UsageBatch } from '../domain/usage.ts'
import {
  addToRow,
  BY_KEY,
  HOUR_AS_DAY,
  KEEP_NEWER_ORIGIN,
  NEWER_LAST_AT,
  SUMS,
  USAGE_TABLES,
  usageRowsWithOrigin,
} from '../sql/usage.ts'
import type { Pool } from './pool.ts'
import { columnsOf } from './sums.ts'

type Queries = Pick<Pool, 'query'>

/** Other folds, and deletions of accounts, wait for one batch. */
const FOLDED_AT_ONCE = 5_000

/** Adds everything or nothing, and a batch that was added before not again. Waits for no other instance: the new rows are its own. */
export async function addUsage(
  pool: Queries,
  usage: readonly KeyUsage[],
  { writer, number }: UsageBatch,
): Promise<void> {
  await pool.query(ADD_USAGE, [writer, number, ...columnsOf(usageRowsWithOrigin(BY_KEY.hour, usage))])
}

/**
 * Moves added usage to the tables of usage, if there are at least this many rows of it. Only one instance does so at a time; the others do not wait.
 * @returns whether there may be more
 */
export async function foldUsage(pool: Queries, atLeast: number): Promise<boolean> {
  const [row] = await pool.query<{ folded: bigint }>(FOLD_USAGE, [atLeast, atLeast])
  return Number(row?.folded) === FOLDED_AT_ONCE
}

export async function foldAllUsage(pool: Queries): Promise<void> {
  while (await foldUsage(pool, 1));
}

/** What to read a table of usage from: its own rows, and those that have not been moved to it yet. */
export function withAddedUsage({ name, columns }: { name: string; columns: readonly string[] }): string {
  return `(SELECT ${columns.join(', ')} FROM ${name} UNION ALL SELECT ${fromHours(columns)} FROM added_usage) AS all_usage`
}

/** The same for the latest calls of keys. */
export const KEY_USE_WITH_ADDED =
  '(SELECT key_id, last_at FROM key_use UNION ALL SELECT key_id, last_at FROM added_usage) AS all_use'

/** The same for where keys last called from. */
export const KEY_ORIGIN_WITH_ADDED = `(SELECT key_id, last_at, last_from FROM key_origin
  UNION ALL SELECT key_id, last_at, last_from FROM added_usage WHERE last_from IS NOT NULL) AS all_origins`

function fromHours(columns: readonly string[]): string {
  return columns.map(column => (column === 'day' ? HOUR_AS_DAY : column)).join(', ')
}

const ADDED_COLUMNS = [...BY_KEY.hour.columns, 'last_from']
const ADDED = ADDED_COLUMNS.join(', ')
const TEXTS = ['operation', 'last_from']
const ADDED_ARRAYS = ADDED_COLUMNS.map(name => `?::${TEXTS.includes(name) ? 'text' : 'bigint'}[]`).join(', ')

/** One statement, so its row of `usage_writer` shows whether it has been committed. A repetition waits for the first attempt. */
const ADD_USAGE = `
  WITH new AS (
    INSERT INTO usage_writer AS known (writer, batch) VALUES (?, ?)
    ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, added_at = now() WHERE known.batch < excluded.batch
    RETURNING batch
  )
  INSERT INTO added_usage (${ADDED}) SELECT one.* FROM new, unnest(${ADDED_ARRAYS}) AS one (${ADDED})`

/** One statement, so each sum sees a row either here or there. */
const FOLD_USAGE = `
  WITH turn AS MATERIALIZED (
    SELECT pg_try_advisory_xact_lock('added_usage'::regclass::oid::int, 0) AS is_own
  ), gone AS (
    DELETE FROM added_usage WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM added_usage
      WHERE (SELECT is_own FROM turn) AND (SELECT count(*) FROM (SELECT FROM added_usage LIMIT ?) AS waiting) = ?
      LIMIT ${FOLDED_AT_ONCE}
    ))
    RETURNING *
  ), ${USAGE_TABLES.map(table => {
    const [key, columns] = [table.key.join(', '), table.columns.join(', ')]
    return `in_${table.name} AS (
    INSERT INTO ${table.name} AS had (${columns})
      SELECT ${key}, ${SUMS}, max(last_at) FROM (SELECT ${fromHours(table.columns)} FROM gone) AS one GROUP BY ${key} ORDER BY ${key}
    ${addToRow(table)}
  ), `
  }).join('')}in_key_use AS (
    INSERT INTO key_use AS had (key_id, last_at)
      SELECT key_id, max(last_at) FROM gone WHERE EXISTS (SELECT FROM api_key WHERE id = key_id) GROUP BY key_id ORDER BY key_id
    ON CONFLICT (key_id) DO UPDATE SET ${NEWER_LAST_AT}
  ), in_key_origin AS (
    INSERT INTO key_origin AS had (key_id, last_at, last_from)
      SELECT DISTINCT ON (key_id) key_id, last_at, last_from FROM gone
      WHERE last_from IS NOT NULL AND EXISTS (SELECT FROM api_key WHERE id = key_id) ORDER BY key_id, last_at DESC
    ${KEEP_NEWER_ORIGIN}
  )
  SELECT count(*) AS folded FROM gone`
