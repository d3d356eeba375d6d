import { cacheKey } from './query-keys.ts'
import { valueQuery } from './value-query.ts'

/** The calls of an account by UTC day, oldest first, including days without calls. */
export function accountUsageQuery(account: string) {
  const query = { account, by: 'day', fill: true }
  return valueQuery(cacheKey('usage', 'sums', query), '/usage', query)
}

/** The newest operator actions on an account and its keys. */
export function accountAuditQuery(account: string) {
  const query = { account, limit: 8 }
  return valueQuery(cacheKey('audit', 'newest', query), '/audit', query)
}
