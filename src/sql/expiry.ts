import { IDEMPOTENCY_MS } from '../domain/idempotency.ts'
import { firstRefusalKept } from '../domain/refusals.ts'
import { DAY_MS } from '../domain/time.ts'
import { firstHourKept } from '../domain/usage.ts'
import { REFUSAL_KEY } from './refusals.ts'
import type { Value } from './statement.ts'
import { USAGE_TABLES } from './usage.ts'

export interface RowsToDelete {
  table: string
  key: readonly string[]
  condition: string
  value: Value
}

/** How many rows one statement deletes at most, so that other writes need not wait long. */
export const DELETED_AT_ONCE = 5_000

export const CREATION_KEY = ['account_id', 'key']

/** Everything that is kept for a limited time and has expired. */
export function expiredRows(now: number, firstUsageDay: number): RowsToDelete[] {
  // Bans and origins name the addresses of people. For a day after its end, a ban lengthens the next one.
  const firstBanEnd = Math.min(firstUsageDay * DAY_MS, now - DAY_MS)
  const firstUsageHour = firstHourKept(now, firstUsageDay)
  return [
    { table: 'session', key: ['hash'], condition: 'expires_at <= ?', value: now },
    { table: 'sign_in_link', key: ['hash'], condition: 'expires_at <= ?', value: now },
    { table: 'idempotent_creation', key: CREATION_KEY, condition: 'created_at <= ?', value: now - IDEMPOTENCY_MS },
    { table: 'operator_creation', key: ['key'], condition: 'created_at <= ?', value: now - IDEMPOTENCY_MS },
    { table: 'ban', key: ['id'], condition: 'ends_at < ?', value: firstBanEnd },
    { table: 'key_origin', key: ['key_id'], condition: 'last_at < ?', value: firstUsageDay * DAY_MS },
    {
      table: 'refusal',
      key: REFUSAL_KEY,
      condition: 'called_at < ?',
      value: firstRefusalKept(now, firstUsageDay),
    },
    ...USAGE_TABLES.map(({ name, key, fields: [unit] }) => {
      const value = unit === 'day' ? firstUsageDay : firstUsageHour
      return { table: name, key, condition: `${unit} < ?`, value }
    }),
  ]
}
