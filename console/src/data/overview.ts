import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Account, AuditEntry, Ban, Health, Key, PetTotals } from '../api/schema.ts'

/** The queries of the overview. Data that changes without an event is polled. */

const REFETCH_MS = 30_000
const HOUR_MS = 3_600_000

/** The first rows of a list. */
export interface Head<Row> {
  rows: Row[]
  hasMore: boolean
}

export const healthQuery = queryOptions({
  queryKey: ['/health', {}],
  queryFn: async ({ signal }) => (await call<Health>('GET', '/health', { signal })).value,
  refetchInterval: REFETCH_MS,
})

export const petTotalsQuery = queryOptions({
  queryKey: ['/pets/totals', {}],
  queryFn: async ({ signal }) => (await call<PetTotals>('GET', '/pets/totals', { signal })).value,
})

export const anyAccountQuery = headQuery<Account>('/accounts', { limit: 1 })

export const newestActionsQuery = headQuery<AuditEntry>('/audit', { limit: 8 })

/** Bans end with time, and no event reports it. */
export const bansInForceQuery = {
  ...headQuery<Ban>('/bans', { state: 'in-force', limit: 100 }),
  refetchInterval: REFETCH_MS,
}

/** Keys that work now and expire soon. */
export function expiringKeysQuery(before: string) {
  return headQuery<Key>('/keys', { state: 'active', expiresBefore: before, limit: 100 })
}

/** That many days from now, rounded to the hour, so that the query stays the same for a while. */
export function inDays(days: number, now: number): string {
  return new Date(Math.floor(now / HOUR_MS) * HOUR_MS + days * 24 * HOUR_MS).toISOString()
}

function headQuery<Row>(path: string, query: Readonly<Record<string, string | number>>) {
  return queryOptions({
    queryKey: [path, { ...query, only: 'head' }],
    queryFn: async ({ signal }): Promise<Head<Row>> => {
      const { value, next } = await call<Row[]>('GET', path, { query, signal })
      return { rows: value, hasMore: next !== undefined }
    },
  })
}
