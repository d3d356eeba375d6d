import { keepPreviousData } from '@tanstack/react-query'
import { urlOf } from '../api/call.ts'
import type { DeprecatedUsage, Refusal, Usage } from '../api/schema.ts'
import type { Texts } from '../lib/search.ts'
import { REFETCH_MS, valueQuery } from './query.ts'

/** The period that calls are summed over: whole days, or the last hours. */
export interface UsageTime extends Texts<'from' | 'to'> {
  hours?: number | undefined
}

export type UsageFilter = Texts<'account' | 'key' | 'operation'>

interface UsageQuery extends UsageTime, UsageFilter {
  by: string
  fill?: boolean
  top?: number
}

const POLLED = { placeholderData: keepPreviousData, refetchInterval: REFETCH_MS }

export function usageQuery(query: UsageQuery) {
  return valueQuery<Usage[]>('/usage', { ...query }, POLLED)
}

/** The deprecated operations, each with the accounts that still call it. */
export function deprecatedUsageQuery({ from, to }: UsageTime = {}) {
  return valueQuery<DeprecatedUsage[]>('/usage/deprecated', { from, to }, POLLED)
}

/** @param unit what a row of the file is about, by account, key, operation and status */
export function usageExportUrl(query: UsageTime & UsageFilter, unit: 'day' | 'hour'): string {
  return urlOf('/usage/export', { ...query, unit }).href
}

/** The path of a key or an account. */
export type RefusalOwner = `/keys/${string}` | `/accounts/${string}`

const FRESH_MS = 15_000

/** The last refused and failed calls, newest first. No event reports new ones. */
export function refusalsQuery(owner: RefusalOwner) {
  return valueQuery<Refusal[]>(`${owner}/refusals`, {}, { refetchInterval: FRESH_MS })
}
