import {
  COUNTED,
  DAY_HOURS,
  type KeyUsage,
  type UsageCounts,
  type UsageDimension,
  type UsageQuery,
  type UsageRange,
  type UsageSum,
} from '../domain/usage.ts'
import type { Dialect } from './dialect.ts'
import { COUNT, columnOf, INTEGER, ifSelected, optional, present, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, type Query, type Value, where } from './statement.ts'

type Period = UsageRange['unit']
type Field = Period | 'accountId' | 'keyId' | 'operation'

/** A table of usage: one row for each value of its fields. */
export interface UsageTable {
  name: string
  fields: readonly [Period, ...Field[]]
  /** The columns of the fields, which identify a row. */
  key: readonly string[]
  columns: readonly string[]
}

const COUNT_COLUMNS = COUNTED.map(columnOf)

function table(name: string, ...fields: UsageTable['fields']): UsageTable {
  const key = fields.map(columnOf)
  return { name, fields, key, columns: [...key, ...COUNT_COLUMNS, 'last_at'] }
}

/** The same calls by key, by account, and in total: each query uses the smallest table with enough detail. */
export const BY_KEY = {
  day: table('usage', 'day', 'accountId', 'keyId', 'operation'),
  hour: table('hourly_usage', 'hour', 'accountId', 'keyId', 'operation'),
}
export const BY_ACCOUNT = {
  day: table('account_usage', 'day', 'accountId', 'operation'),
  hour: table('hourly_account_usage', 'hour', 'accountId', 'operation'),
}
const BY_OPERATION = {
  day: table('operation_usage', 'day', 'operation'),
  hour: table('hourly_operation_usage', 'hour', 'operation'),
}

export const USAGE_TABLES: readonly UsageTable[] = [BY_KEY, BY_ACCOUNT, BY_OPERATION].flatMap(({ day, hour }) => [
  day,
  hour,
])

/** Sums up usage into rows of a table. Rows are in order of their keys, values in order of the columns. */
export function usageRows(table: UsageTable, usage: readonly KeyUsage[]): Value[][] {
  return usageRowsWithOrigin(table, usage).map(row => row.slice(0, -1))
}

/** The same, with one more value: where the last call came from, or null. */
export function usageRowsWithOrigin({ fields }: UsageTable, usage: readonly KeyUsage[]): Value[][] {
  const sums = new Map<string, { key: Value[]; counts: number[]; lastAt: number; lastFrom: string | undefined }>()
  for (const one of usage) {
    const key = fields.map(field => (field === 'day' ? Math.floor(one.hour / DAY_HOURS) : one[field]))
    const sum = sums.getOrInsertComputed(key.join(' '), () => ({ key, counts: COUNTED.map(() => 0), ...NEVER }))
    sum.counts = COUNTED.map((count, index) => (sum.counts[index] as number) + one[count])
    Object.assign(sum, laterUse(sum, one))
  }
  return [...sums.values()]
    .toSorted((one, other) => compare(one.key, other.key))
    .map(({ key, counts, lastAt, lastFrom = null }) => [...key, ...counts, lastAt, lastFrom])
}

function compare(one: readonly Value[], other: readonly Value[]): number {
  const index = one.findIndex((value, place) => value !== other[place])
  return index < 0 ? 0 : (one[index] as Value & {}) < (other[index] as Value & {}) ? -1 : 1
}

/** The end of an INSERT INTO a table AS had: adds the new counts to an existing row. */
export function addToRow({ key }: UsageTable): string {
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET
  ${COUNT_COLUMNS.map(count => `${count} = had.${count} + excluded.${count}`).join(', ')}, ${NEWER_LAST_AT}`
}

export const NEWER_LAST_AT =
  'last_at = CASE WHEN had.last_at > excluded.last_at THEN had.last_at ELSE excluded.last_at END'

/** The end of an INSERT INTO key_origin AS had: keeps where the newer call came from. */
export const KEEP_NEWER_ORIGIN = `ON CONFLICT (key_id) DO UPDATE SET last_at = excluded.last_at, last_from = excluded.last_from
  WHERE had.last_at <= excluded.last_at`

type Use = Pick<KeyUsage, 'lastAt' | 'lastFrom'>

const NEVER: Use = { lastAt: 0, lastFrom: undefined }

function laterUse(one: Use, other: Use): Use {
  const { lastAt, lastFrom } = other.lastAt < one.lastAt ? one : other
  return { lastAt, lastFrom }
}

export function lastUses(usage: readonly KeyUsage[]): ({ keyId: bigint } & Use)[] {
  const uses = new Map<bigint, Use>()
  for (const one of usage) uses.set(one.keyId, laterUse(uses.get(one.keyId) ?? NEVER, one))
  return [...uses].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([keyId, use]) => ({ keyId, ...use }))
}

/** The columns of each dimension in a sum, and what it is grouped by. */
const DIMENSIONS: Record<UsageDimension, { columns: string; key: string }> = {
  day: { columns: 'day', key: 'day' },
  hour: { columns: 'hour', key: 'hour' },
  account: {
    columns: 'account_id, (SELECT name FROM account WHERE id = account_id) AS account_name',
    key: 'account_id',
  },
  key: { columns: 'key_id, (SELECT name FROM api_key WHERE id = key_id) AS key_name', key: 'key_id' },
  operation: { columns: 'operation', key: 'operation' },
}

/** The day, in a table of hours. */
export const HOUR_AS_DAY = `hour / ${DAY_HOURS} AS day`
const DAY_OF_HOUR = { columns: HOUR_AS_DAY, key: `hour / ${DAY_HOURS}` }

export const SUMS = COUNT_COLUMNS.map(count => `CAST(sum(${count}) AS BIGINT) AS ${count}`).join(', ')

export function usageSums(query: UsageQuery, { usageIn }: Dialect): Query<UsageSum[]> {
  const { range, accountId, keyId, operation, by, mostFirst, after, limit = Number.MAX_SAFE_INTEGER } = query
  const { unit, first, last } = range
  const { sql, values } = where([
    // With a single day or hour, sums can be read in the order of the index.
    first === last
      ? [`${unit} = ?`, first]
      : [accountId === undefined ? `${unit} >= ? AND ${unit} <= ?` : isCounted(unit, usageIn), first, last],
    ['account_id = ?', accountId],
    ['key_id = ?', keyId],
    ['operation = ?', operation],
    ['(account_id, key_id, operation) > (?, ?, ?)', after?.accountId, after?.keyId, after?.operation],
  ])
  const shown = by.map(dimension => (dimension === 'day' && unit === 'hour' ? DAY_OF_HOUR : DIMENSIONS[dimension]))
  const columns = shown.map(one => `${one.columns}, `).join('')
  const keys = shown.map(({ key }) => key).join(', ')
  const order = mostFirst ? `sum(admitted + refused + banned) DESC, ${keys}` : keys
  const grouped = keys === '' ? 'HAVING count(*) > 0' : `GROUP BY ${keys} ORDER BY ${order}`
  const select = `SELECT ${columns}${SUMS}, max(last_at) AS last_at FROM ${usageIn(smallestTable(query))}`
  return all(`${select} ${sql} ${grouped} LIMIT ?`, [...values, limit], row => present<UsageSum>(readSum(row)))
}

function smallestTable({ range: { unit }, accountId, keyId, by }: UsageQuery): UsageTable {
  if (keyId !== undefined || by.includes('key')) return BY_KEY[unit]
  return (accountId !== undefined || by.includes('account') ? BY_ACCOUNT : BY_OPERATION)[unit]
}

/** Lists the days or hours individually: the database looks up the account in each, instead of reading all accounts of the whole range. */
function isCounted(unit: Period, usageIn: Dialect['usageIn']): string {
  return `${unit} IN (SELECT ${unit} FROM ${usageIn(BY_OPERATION[unit])} WHERE ${unit} >= ? AND ${unit} <= ?)`
}

const countColumns = Object.fromEntries(COUNTED.map(count => [count, COUNT])) as Record<keyof UsageCounts, typeof COUNT>

const readSum = rowReader('a sum of usage', {
  day: ifSelected(TIME),
  hour: ifSelected(TIME),
  accountId: ifSelected(INTEGER),
  accountName: ifSelected(optional(TEXT)),
  keyId: ifSelected(INTEGER),
  keyName: ifSelected(optional(TEXT)),
  operation: ifSelected(TEXT),
  ...countColumns,
  lastAt: TIME,
})
