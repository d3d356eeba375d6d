import { IDEMPOTENCY_MS } from '../domain/idempotency.ts'
import { dayOf } from '../domain/usage.ts'
import type { Pool } from './pool.ts'

/** How many rows are forgotten at once: nobody waits for long, and the next statement is as quick as this. */
const AT_ONCE = 5_000

/**
 * Rows that another instance is forgetting just now are left to it. A clock that is ahead of the database's is not believed: one
 * instance forgets for all of them.
 */
export async function forgetExpired(pool: Pool, now: number, firstUsageDay: number): Promise<void> {
  const past = Math.min(now, await clockOf(pool))
  const firstDay = firstUsageDay - (dayOf(now) - dayOf(past))
  await forget(pool, 'session', ['hash'], 'expires_at <= ?', past)
  await forget(pool, 'idempotent_creation', CREATION_KEY, 'created_at <= ?', past - IDEMPOTENCY_MS)
  await forget(pool, 'usage', ['day', 'account_id', 'key_id', 'operation'], 'day < ?', firstDay)
}

/** Some of those whose idempotency keys were this account's: as many as are forgotten at once. */
export async function forgetCreationsOf(pool: Pool, accountId: bigint): Promise<void> {
  await forgetSome(pool, 'idempotent_creation', CREATION_KEY, 'account_id = ?', accountId)
}

async function clockOf(pool: Pool): Promise<number> {
  const [row] = await pool.read<{ now: bigint }>(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
  )
  return Number(row?.now)
}

const CREATION_KEY = ['account_id', 'key']

type Forget<Result> = (
  pool: Pool,
  table: string,
  key: readonly string[],
  condition: string,
  value: number | bigint,
) => Promise<Result>

const forget: Forget<void> = async (...which) => {
  while ((await forgetSome(...which)) === AT_ONCE);
}

/** @returns how many */
const forgetSome: Forget<number> = async (pool, table, key, condition, value) => {
  const sql = `
    WITH old AS MATERIALIZED (SELECT ${key.join(', ')} FROM ${table} WHERE ${condition} LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED),
      gone AS (DELETE FROM ${table} USING old WHERE ${key.map(name => `${table}.${name} = old.${name}`).join(' AND ')})
    SELECT count(*) AS forgotten FROM old`
  const [row] = await pool.query<{ forgotten: bigint }>(sql, [value])
  return Number(row?.forgotten)
}
