import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type Query } from '../api/call.ts'
import type { AccountWithUsage, AuditEntry, Ban, Key, PetTotals } from '../api/schema.ts'
import type { Texts } from '../lib/search.ts'
import { REFETCH_MS, valueQuery } from './query.ts'
import { cacheKey, type Path } from './query-keys.ts'

/** The queries of the overview. Data that changes without an event is polled. */

const HOUR_MS = 3_600_000

export const petTotalsQuery = totalsQuery({})

export const anyAccountQuery = headQuery<AccountWithUsage>('/accounts', { limit: 1 })

export const busiestAccountsQuery = accountsBy('usage')
export const mostRefusedAccountsQuery = accountsBy('refused')

/** The first accounts in an order by today's calls, which no event reports. */
function accountsBy(sort: 'usage' | 'refused') {
  return headQuery<AccountWithUsage>('/accounts', { sort, limit: 20 }, REFETCH_MS)
}

/** @param account all actions without one */
export function newestActionsQuery(account: string | undefined) {
  return headQuery<AuditEntry>('/audit', { account, limit: 8 })
}

/** Bans end with time, and no event reports it. */
export const bansInForceQuery = headQuery<Ban>('/bans', { state: 'in-force', limit: 100 }, REFETCH_MS)

export function expiringKeysQuery(before: string) {
  return headQuery<Key>('/keys', { state: 'active', expiresBefore: before, limit: 100 })
}

/** That many days from now, rounded to the hour, so that the query stays the same for a while. */
export function inDays(days: number, now: number): string {
  return new Date(Math.floor(now / HOUR_MS) * HOUR_MS + days * 24 * HOUR_MS).toISOString()
}

export interface Head<Row> {
  rows: Row[]
  hasMore: boolean
}

function headQuery<Row>(path: Path, query: Query, refetchInterval: number | false = false) {
  return queryOptions({
    queryKey: cacheKey(path, 'head', query),
    queryFn: async ({ signal }): Promise<Head<Row>> => {
      const { value, next } = await call<Row[]>('GET', path, { query, signal })
      return { rows: value, hasMore: next !== undefined }
    },
    refetchInterval,
  })
}

/** The numbers of animals by status. Here, because the overview loads nothing else about animals. */
export function totalsQuery({ name, categoryId }: Texts<'name' | 'categoryId'>) {
  const query = { name, categoryId }
  return valueQuery<PetTotals>('/pets/totals', query, { placeholderData: keepPreviousData })
}
