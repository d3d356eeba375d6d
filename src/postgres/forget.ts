import { IDEMPOTENCY_MS } from '../domain/idempotency.ts'
import type { Pool } from './pool.ts'

/** How many rows are forgotten at once: nobody waits for long, and the next statement is as quick as this. */
const AT_ONCE = 5_000

/** Rows that another instance is forgetting just now are left to it. */
export async function forgetExpired(pool: Pool, now: number, firstUsageDay: number): Promise<void> {
  await forget(pool, 'session', ['hash'], 'expires_at <= ?', now)
  await forget(pool, 'idempotent_creation', CREATION_KEY, 'created_at <= ?', now - IDEMPOTENCY_MS)
  await forget(pool, 'usage', ['day', 'account_id', 'key_id', 'operation'], 'day < ?', firstUsageDay)
}

/** Those whose idempotency keys were this account's. */
export function forgetCreationsOf(pool: Pool, accountId: bigint): Promise<void> {
  return forget(pool, 'idempotent_creation', CREATION_KEY, 'account_id = ?', accountId)
}

const CREATION_KEY = ['account_id', 'key']

async function forget(
  pool: Pool,
  table: string,
  key: readonly string[],
  condition: string,
  value: number | bigint,
): Promise<void> {
  const sql = `
    WITH old AS MATERIALIZED (SELECT ${key.join(', ')} FROM ${table} WHERE ${condition} LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED),
      gone AS (DELETE FROM ${table} USING old WHERE ${key.map(name => `${table}.${name} = old.${name}`).join(' AND ')})
    SELECT count(*) AS forgotten FROM old`
  for (let forgotten = AT_ONCE; forgotten === AT_ONCE; ) {
    const [row] = await pool.query<{ forgotten: bigint }>(sql, [value])
    forgotten = Number(row?.forgotten)
  }
}
