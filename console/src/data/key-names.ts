import { cacheKey } from './query-keys.ts'
import { valueQuery } from './value-query.ts'

/** The keys of an account, to choose one from. */
export function keyNamesQuery(account: string | undefined) {
  const query = { account, limit: 100 }
  return valueQuery(cacheKey('keys', 'names', account), '/keys', query, {
    enabled: account !== undefined,
    retry: false,
  })
}
