import type { Usage } from '../../api/schema.ts'
import type { UsageFilter, UsageTime } from '../../data/usage.ts'
import { type Texts, useFilters } from '../../lib/search.ts'
import type { PeriodUnit } from '../../lib/time.ts'

/** The search of the URL. */
export type UsageSearch = Texts<'range' | 'from' | 'to' | 'unit' | 'by' | 'account' | 'key' | 'operation'>

export const useUsageSearch = useFilters<UsageSearch>

const DAYS: Readonly<Record<string, number>> = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 }

export const RANGE_OPTIONS = [
  { value: '24h', name: 'Last 24 hours' },
  { value: '7d', name: 'Last 7 days' },
  { value: '30d', name: 'Last 30 days' },
  { value: '90d', name: 'Last 90 days' },
  { value: 'dates', name: 'From … to …' },
]

export const DEFAULT_RANGE = '7d'

/** The period in the URL. Days are UTC days. */
export function timeOf({ range = DEFAULT_RANGE, from, to }: UsageSearch, now = Date.now()): UsageTime {
  if (range === 'dates') return { from, to }
  const days = DAYS[range] ?? (DAYS[DEFAULT_RANGE] as number)
  return range === '24h' ? { hours: 24 } : { from: dayBefore(now, days - 1) }
}

/** The same in whole days, for queries by day. */
export function daysOf(search: UsageSearch, now = Date.now()): UsageTime {
  const { hours, ...days } = timeOf(search, now)
  return hours === undefined ? days : { from: dayBefore(now, 1) }
}

export function unitOf({ range = DEFAULT_RANGE, unit }: UsageSearch): PeriodUnit {
  if (range === '24h') return 'hour'
  if (unit === 'hour' || unit === 'day') return unit
  return range === '7d' ? 'hour' : 'day'
}

export function filterOf({ account, key, operation }: UsageSearch): UsageFilter {
  return { account, key, operation }
}

function dayBefore(now: number, days: number): string {
  return new Date(now - days * 86_400_000).toISOString().slice(0, 10)
}

export function accountName({ accountId, account }: Pick<Usage, 'accountId' | 'account'>): string {
  return account ?? `Deleted account ${accountId}`
}

export function keyName({ keyId, keyName }: Pick<Usage, 'keyId' | 'keyName'>): string {
  return keyName ?? `Key ${keyId}`
}

export function operationName(operation = 'none'): string {
  return operation === 'none' ? 'Unknown call' : operation
}
