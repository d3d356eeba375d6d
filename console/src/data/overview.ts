import { keepPreviousData } from '@tanstack/react-query'
import { call, type Query } from '../api/call.ts'
import { queryOf, REFETCH_MS, valueQuery } from './query.ts'
import { cacheKey, type Head, type Key } from './query-keys.ts'

/** The queries of the overview. Data that changes without an event is polled. */

const HOUR_MS = 3_600_000

export const petTotalsQuery = totalsQuery({})

const ANY = { limit: 1 }
export const anyAccountQuery = headQuery(cacheKey('accounts', 'head', ANY), '/accounts', ANY)

export const busiestAccountsQuery = accountsBy('usage')
export const mostRefusedAccountsQuery = accountsBy('refused')

/** The first accounts in an order by today's calls, which no event reports. */
function accountsBy(sort: 'usage' | 'refused') {
  const query = { sort, limit: 20 }
  return { ...headQuery(cacheKey('accounts', 'head', query), '/accounts', query), refetchInterval: REFETCH_MS }
}

const NEWEST = { limit: 8 }
export const newestActionsQuery = headQuery(cacheKey('audit', 'head', NEWEST), '/audit', NEWEST)

/** Bans end with time, and no event reports it. */
const IN_FORCE = { state: 'in-force', limit: 100 }
export const bansInForceQuery = {
  ...headQuery(cacheKey('bans', 'head', IN_FORCE), '/bans', IN_FORCE),
  refetchInterval: REFETCH_MS,
}

/** Keys that work now and expire soon. */
export function expiringKeysQuery(before: string) {
  const query = { state: 'active', expiresBefore: before, limit: 100 }
  return headQuery(cacheKey('keys', 'head', query), '/keys', query)
}

/** That many days from now, rounded to the hour, so that the query stays the same for a while. */
export function inDays(days: number, now: number): string {
  return new Date(Math.floor(now / HOUR_MS) * HOUR_MS + days * 24 * HOUR_MS).toISOString()
}

function headQuery<Row>(key: Key<Head<Row>>, path: string, query: Query) {
  return queryOf({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const { value, next } = await call<Row[]>('GET', path, { query, signal })
      return { rows: value, hasMore: next !== undefined }
    },
  })
}

/** The numbers of animals by status. Here, because the overview loads nothing else about animals. */
export function totalsQuery({ name, categoryId }: { name?: string | undefined; categoryId?: string | undefined }) {
  const query = { name, categoryId }
  return valueQuery(cacheKey('pets', 'totals', query), '/pets/totals', query, { placeholderData: keepPreviousData })
}
