import type { RefusedCall } from '../domain/refusals.ts'
import { newestToDelete, REFUSAL_COLUMNS, REFUSAL_KEY, refusalValues } from '../sql/refusals.ts'
import type { Pool } from './pool.ts'
import { columnsOf } from './sums.ts'

/** Adds everything or nothing. Waits for no other instance. */
export async function addRefusals(pool: Pick<Pool, 'query'>, calls: readonly RefusedCall[]): Promise<void> {
  await pool.query(ADD, columnsOf(calls.map(refusalValues)))
  await pool.query(DELETE_OLDER, [[...new Set(calls.map(({ keyId }) => keyId))]])
}

const COLUMNS = REFUSAL_COLUMNS.join(', ')
const NUMBERS = [...REFUSAL_KEY, 'status']
const ARRAYS = REFUSAL_COLUMNS.map(name => `?::${NUMBERS.includes(name) ? 'bigint' : 'text'}[]`).join(', ')

const ADD = `
  INSERT INTO refusal (${COLUMNS}) SELECT one.* FROM unnest(${ARRAYS}) AS one (${COLUMNS})
  WHERE EXISTS (SELECT FROM api_key WHERE id = key_id) ON CONFLICT DO NOTHING`

/** Skips rows that another instance is deleting. */
const DELETE_OLDER = `
  WITH old AS MATERIALIZED (
    SELECT ${REFUSAL_KEY.map(column => `refusal.${column}`).join(', ')}
    FROM unnest(?::bigint[]) AS key (id), LATERAL (${newestToDelete('key.id')}) AS newest, refusal
    WHERE key_id = key.id AND (refusal.called_at, refusal.sequence) <= (newest.called_at, newest.sequence)
    FOR UPDATE OF refusal SKIP LOCKED
  )
  DELETE FROM refusal USING old WHERE ${REFUSAL_KEY.map(column => `refusal.${column} = old.${column}`).join(' AND ')}`
