import { dayOf } from '../domain/usage.ts'
import { CREATION_KEY, DELETED_AT_ONCE, expiredRows, type RowsToDelete } from '../sql/expiry.ts'
import { foldAllUsage } from './added-usage.ts'
import type { Pool } from './pool.ts'

/** A clock ahead of the database's is not trusted, because each instance deletes for all instances. */
export async function deleteExpired(pool: Pool, now: number, firstUsageDay: number): Promise<void> {
  const past = Math.min(now, await clockOf(pool))
  const firstDay = firstUsageDay - (dayOf(now) - dayOf(past))
  // What is deleted by its age is there.
  await foldAllUsage(pool)
  for (const rows of expiredRows(past, firstDay)) {
    while ((await deleteSome(pool, rows)) === DELETED_AT_ONCE);
  }
  await pool.query(DELETE_OLD_CHANGES)
  await pool.query(DELETE_OLD_WRITERS)
}

/** An instance that is alive reads each change within seconds. */
const DELETE_OLD_CHANGES = 'DELETE FROM caller_change WHERE number <= (SELECT callers - 10000 FROM revision)'

/** An instance repeats a batch of usage within seconds after the database can be reached again. */
const DELETE_OLD_WRITERS = "DELETE FROM usage_writer WHERE added_at < now() - interval '1 day'"

/** Deletes one batch of creations whose idempotency keys belonged to this account. */
export async function forgetCreationsOf(pool: Pool, accountId: bigint): Promise<void> {
  const condition = 'account_id = ?'
  await deleteSome(pool, { table: 'idempotent_creation', key: CREATION_KEY, condition, value: accountId })
}

async function clockOf(pool: Pool): Promise<number> {
  const [row] = await pool.read<{ now: bigint }>(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
  )
  return Number(row?.now)
}

/**
 * Skips rows that another instance is currently deleting.
 * @returns how many rows were deleted
 */
async function deleteSome(pool: Pool, { table, key, condition, value }: RowsToDelete): Promise<number> {
  const sql = `
    WITH old AS MATERIALIZED (
      SELECT ${key.join(', ')} FROM ${table} WHERE ${condition} LIMIT ${DELETED_AT_ONCE} FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM ${table} USING old WHERE ${key.map(name => `${table}.${name} = old.${name}`).join(' AND ')}
    )
    SELECT count(*) AS deleted FROM old`
  const [row] = await pool.query<{ deleted: bigint }>(sql, [value])
  return Number(row?.deleted)
}
