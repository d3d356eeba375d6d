import { queryOptions } from '@tanstack/react-query'
import { fetchValue, urlOf } from '../api/call.ts'
import type { AuditEntry, PetOfEntry } from '../api/schema.ts'
import type { Texts } from '../lib/search.ts'
import type { Zone } from '../lib/time.ts'
import { pagesOf } from './query.ts'
import { cacheKey } from './query-keys.ts'

/** As in the URL: `action` may be a kind of actions, and `from` and `to` are days. */
export type AuditFilter = Texts<'operator' | 'action' | 'subjectKind' | 'subjectId' | 'account' | 'from' | 'to'>

export function auditQuery(filter: AuditFilter, zone: Zone) {
  return pagesOf<AuditEntry>('/audit', paramsOf(filter, zone))
}

export function petsOfEntryQuery(id: bigint) {
  return pagesOf<PetOfEntry>(`/audit/${id}/pets`, {}, 20)
}

/** One entry; null if there is none. The service only returns entries as a list. */
export function auditEntryQuery(id: string) {
  return queryOptions({
    queryKey: cacheKey('/audit', 'one', id),
    queryFn: async ({ signal }) => {
      const query = { before: BigInt(id) + 1n, limit: 1 }
      const [entry] = await fetchValue<AuditEntry[]>('GET', '/audit', { query, signal })
      return entry && String(entry.id) === id ? entry : null
    },
    // Audit entries never change.
    staleTime: Number.POSITIVE_INFINITY,
    enabled: /^\d{1,18}$/.test(id),
  })
}

export function auditExportUrl(filter: AuditFilter, zone: Zone, format: 'csv' | 'ndjson'): string {
  return urlOf('/audit/export', { ...paramsOf(filter, zone), format }).href
}

/** Days begin and end in the time zone that the console shows. */
function paramsOf({ from, to, ...others }: AuditFilter, zone: Zone) {
  return { ...others, from: from && momentOf(from, 0, zone), to: to && momentOf(to, 1, zone) }
}

/** When a day such as 2030-12-31 begins, or one after it. In UTC, the day itself: the service uses UTC days, and includes the last one. */
function momentOf(day: string, daysLater: number, zone: Zone): string {
  if (zone === 'utc') return day
  const date = new Date(`${day}T00:00:00`)
  if (Number.isNaN(date.getTime())) return day
  date.setDate(date.getDate() + daysLater)
  return date.toISOString()
}
