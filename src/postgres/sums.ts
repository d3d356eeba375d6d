import { DAY_MS, MINUTE_MS } from '../domain/rate-limiter.ts'
import type { AccountCounts } from '../domain/store.ts'
import type { KeyUsage } from '../domain/usage.ts'
import type { Pool } from './pool.ts'

/** How many rows go into one statement where it may be several. */
const AT_ONCE = 5_000

/**
 * Counts come from several instances, in whatever order: of the same window the higher one is kept, of two windows the newer. Accounts
 * are locked first and in one order, so that nobody who writes counts, or deletes an account, waits in a circle.
 */
export async function saveCounts(pool: Pool, counts: readonly AccountCounts[]): Promise<void> {
  for (let from = 0; from < counts.length; from += AT_ONCE) {
    const part = counts.slice(from, from + AT_ONCE)
    await pool.query(SAVE_COUNTS, [
      part.map(({ accountId }) => accountId),
      part.map(({ counts }) => counts.minute?.used),
      part.map(({ counts }) => counts.minute?.resetsAt),
      part.map(({ counts }) => counts.day?.used),
      part.map(({ counts }) => counts.day?.resetsAt),
    ])
  }
}

/**
 * All of it or nothing. Rows are written in one order, so that no two instances wait for each other. In a transaction, though it is
 * one statement: what fails is added again, and must not have been carried out by a server that had only stood still.
 */
export async function addUsage(pool: Pool, usage: readonly KeyUsage[]): Promise<void> {
  const values = [
    usage.map(({ day }) => day),
    usage.map(({ accountId }) => accountId),
    usage.map(({ keyId }) => keyId),
    usage.map(({ operation }) => operation),
    usage.map(({ admitted }) => admitted),
    usage.map(({ refused }) => refused),
    usage.map(({ banned }) => banned),
    usage.map(({ status2xx }) => status2xx),
    usage.map(({ status3xx }) => status3xx),
    usage.map(({ status4xx }) => status4xx),
    usage.map(({ status5xx }) => status5xx),
    usage.map(({ lastAt }) => lastAt),
  ]
  await pool.transaction(ask => ask(ADD_USAGE, values))
}

const SAVE_COUNTS = `
  WITH wish AS MATERIALIZED (
    SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
      AS one (account_id, minute_used, minute_resets_at, day_used, day_resets_at)
  ), known AS MATERIALIZED (
    SELECT id FROM account WHERE id IN (SELECT account_id FROM wish) ORDER BY id FOR KEY SHARE
  )
  INSERT INTO account_count AS saved (account_id, minute_used, minute_resets_at, day_used, day_resets_at)
    SELECT wish.* FROM wish JOIN known ON id = account_id ORDER BY account_id
  ON CONFLICT (account_id) DO UPDATE SET ${newerWindow('minute', MINUTE_MS)}, ${newerWindow('day', DAY_MS)}`

/**
 * A window that lies more than two of its lengths ahead of what is saved now was made by a clock that was wrong, as in `current` of
 * the rate limiter.
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

const USAGE_KEY = ['day', 'account_id', 'key_id', 'operation']
const USAGE_COUNTS = ['admitted', 'refused', 'banned', 'status_2xx', 'status_3xx', 'status_4xx', 'status_5xx']

const ADD_USAGE = `
  INSERT INTO usage AS had (${[...USAGE_KEY, ...USAGE_COUNTS].join(', ')}, last_at)
    SELECT ${USAGE_KEY.join(', ')}, ${USAGE_COUNTS.map(count => `sum(${count})`).join(', ')}, max(last_at)
    FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::text[]${', ?::bigint[]'.repeat(USAGE_COUNTS.length + 1)})
      AS one (${[...USAGE_KEY, ...USAGE_COUNTS].join(', ')}, last_at)
    GROUP BY ${USAGE_KEY.join(', ')} ORDER BY ${USAGE_KEY.join(', ')}
  ON CONFLICT (${USAGE_KEY.join(', ')}) DO UPDATE SET
    ${USAGE_COUNTS.map(count => `${count} = had.${count} + excluded.${count}`).join(', ')},
    last_at = greatest(had.last_at, excluded.last_at)`
