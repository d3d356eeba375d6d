import type { AccountCounts } from '../domain/store/accounts.ts'
import { DAY_MS, MINUTE_MS } from '../domain/time.ts'
import { COUNT_COLUMNS, countValues } from '../sql/counts.ts'
import type { Value } from '../sql/statement.ts'
import type { Pool } from './pool.ts'

const ROWS_PER_STATEMENT = 5_000

/**
 * Counts come from several instances, in any order: the newer of two windows is kept, or the higher count of the same window. Accounts are
 * locked first, and counts written in a fixed order, so that instances that save counts or delete an account never deadlock.
 */
export async function saveCounts(pool: Pool, counts: readonly AccountCounts[]): Promise<void> {
  for (let from = 0; from < counts.length; from += ROWS_PER_STATEMENT) {
    const part = counts.slice(from, from + ROWS_PER_STATEMENT)
    await pool.query(SAVE_COUNTS, columnsOf(part.map(countValues)))
  }
}

/** Turns at least one row into columns: each column is one parameter. */
export function columnsOf(rows: readonly (readonly Value[])[]): Value[][] {
  return (rows[0] as readonly Value[]).map((_, index) => rows.map(row => row[index] as Value))
}

const SAVE_COUNTS = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
      AS one (${COUNT_COLUMNS.join(', ')})
  ), known AS MATERIALIZED (
    SELECT id FROM account WHERE id IN (SELECT account_id FROM given) FOR KEY SHARE
  )
  INSERT INTO account_count AS saved (${COUNT_COLUMNS.join(', ')})
    SELECT given.* FROM given JOIN known ON id = account_id ORDER BY account_id
  ON CONFLICT (account_id) DO UPDATE SET ${newerWindow('minute', MINUTE_MS)}, ${newerWindow('day', DAY_MS)}`

/**
 * Keeps the newer window. A window more than two lengths ahead of the one being saved comes from a wrong clock, as in `current` of the rate
 * limiter.
 */
function newerWindow(name: 'minute' | 'day', lengthMs: number): string {
  const [used, resetsAt] = [`${name}_used`, `${name}_resets_at`]
  const stays = `(excluded.${resetsAt} IS NULL
    OR saved.${resetsAt} > excluded.${resetsAt} AND saved.${resetsAt} - excluded.${resetsAt} <= ${2 * lengthMs})`
  return `
    ${used} = CASE WHEN ${stays} THEN saved.${used}
      WHEN saved.${resetsAt} = excluded.${resetsAt} THEN greatest(saved.${used}, excluded.${used}) ELSE excluded.${used} END,
    ${resetsAt} = CASE WHEN ${stays} THEN saved.${resetsAt} ELSE excluded.${resetsAt} END`
}
