import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { AuditEntry, Usage } from '../api/schema.ts'

/** The calls of an account by UTC day, oldest first, including days without calls. */
export function accountUsageQuery(account: string) {
  const query = { account, by: 'day', fill: true }
  return queryOptions({
    queryKey: ['/usage', query],
    queryFn: async ({ signal }) => (await call<Usage[]>('GET', '/usage', { query, signal })).value,
  })
}

/** The newest operator actions on an account and its keys. */
export function accountAuditQuery(account: string) {
  const query = { account, limit: 8 }
  return queryOptions({
    queryKey: ['/audit', query],
    queryFn: async ({ signal }) => (await call<AuditEntry[]>('GET', '/audit', { query, signal })).value,
  })
}
