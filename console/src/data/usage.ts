import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { DeprecatedUsage, Usage } from '../api/schema.ts'

/** The period that calls are summed over: whole days, or the last hours. */
export interface UsageTime {
  from?: string | undefined
  to?: string | undefined
  hours?: number | undefined
}

/** Filters by caller and operation. */
export interface UsageFilter {
  account?: string | undefined
  key?: string | undefined
  operation?: string | undefined
}

interface UsageQuery extends UsageTime, UsageFilter {
  by: string
  fill?: boolean
  top?: number
}

/** The service saves its counts every few seconds. */
export const REFETCH_MS = 30_000

export function usageQuery(query: UsageQuery) {
  return queryOptions({
    queryKey: ['/usage', query],
    queryFn: async ({ signal }) => (await call<Usage[]>('GET', '/usage', { query: { ...query }, signal })).value,
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  })
}

/** The deprecated operations, each with the accounts that still call it. */
export function deprecatedUsageQuery({ from, to }: UsageTime = {}) {
  const query = { from, to }
  return queryOptions({
    queryKey: ['/usage/deprecated', query],
    queryFn: async ({ signal }) => (await call<DeprecatedUsage[]>('GET', '/usage/deprecated', { query, signal })).value,
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  })
}

/** All calls of a sum, including those that were not admitted. */
export function callsOf({ admitted, refused, banned }: Pick<Usage, 'admitted' | 'refused' | 'banned'>): number {
  return admitted + refused + banned
}
