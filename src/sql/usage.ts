import {
  COUNTED,
  type KeyUsage,
  type UsageCounts,
  type UsageDimension,
  type UsageQuery,
  type UsageSum,
} from '../domain/usage.ts'
import { COUNT, columnOf, INTEGER, ifSelected, optional, present, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, type Query, type Value, where } from './statement.ts'

const KEY_FIELDS = ['day', 'accountId', 'keyId', 'operation'] as const
const FIELDS = [...KEY_FIELDS, ...COUNTED, 'lastAt'] as const

/** They tell the rows apart. */
export const USAGE_KEY = KEY_FIELDS.map(columnOf)
export const USAGE_COUNTS = COUNTED.map(columnOf)
export const USAGE_COLUMNS = FIELDS.map(columnOf)

/** In the order of the columns. */
export function usageValues(usage: KeyUsage): Value[] {
  return FIELDS.map(field => usage[field])
}

/** Ends an INSERT INTO usage AS had: what is inserted is added to the row that is already there. */
export const ADD_TO_USAGE = `ON CONFLICT (${USAGE_KEY.join(', ')}) DO UPDATE SET
  ${USAGE_COUNTS.map(count => `${count} = had.${count} + excluded.${count}`).join(', ')},
  last_at = CASE WHEN had.last_at > excluded.last_at THEN had.last_at ELSE excluded.last_at END`

/** What each dimension shows in a sum, and where it comes from. */
const DIMENSIONS: Record<UsageDimension, { columns: string; key: string }> = {
  day: { columns: 'day', key: 'day' },
  account: {
    columns: 'account_id, (SELECT name FROM account WHERE id = account_id) AS account_name',
    key: 'account_id',
  },
  key: { columns: 'key_id, (SELECT name FROM api_key WHERE id = key_id) AS key_name', key: 'key_id' },
  operation: { columns: 'operation', key: 'operation' },
}

const SUMS = USAGE_COUNTS.map(count => `CAST(sum(${count}) AS BIGINT) AS ${count}`).join(', ')

export function usageSums(query: UsageQuery): Query<UsageSum[]> {
  const { fromDay, toDay, accountId, operation, by, limit = Number.MAX_SAFE_INTEGER } = query
  const { sql, values } = where([
    ['day >= ?', fromDay],
    ['day <= ?', toDay],
    ['account_id = ?', accountId],
    ['operation = ?', operation],
  ])
  const columns = by.map(dimension => `${DIMENSIONS[dimension].columns}, `).join('')
  const keys = by.map(dimension => DIMENSIONS[dimension].key).join(', ')
  const grouped = keys === '' ? 'HAVING count(*) > 0' : `GROUP BY ${keys} ORDER BY ${keys}`
  const select = `SELECT ${columns}${SUMS}, max(last_at) AS last_at FROM usage`
  return all(`${select} ${sql} ${grouped} LIMIT ?`, [...values, limit], row => present<UsageSum>(readSum(row)))
}

const countColumns = Object.fromEntries(COUNTED.map(count => [count, COUNT])) as Record<keyof UsageCounts, typeof COUNT>

const readSum = rowReader('a sum of usage', {
  day: ifSelected(TIME),
  accountId: ifSelected(INTEGER),
  accountName: ifSelected(optional(TEXT)),
  keyId: ifSelected(INTEGER),
  keyName: ifSelected(optional(TEXT)),
  operation: ifSelected(TEXT),
  ...countColumns,
  lastAt: TIME,
})
