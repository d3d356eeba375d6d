import { queryOptions, skipToken } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Key } from '../api/schema.ts'

/** The keys of an account, to choose one from. */
export function keyNamesQuery(account: string | undefined) {
  const query = { account, limit: 100 }
  return queryOptions({
    queryKey: ['/keys', query],
    queryFn: account ? async ({ signal }) => (await call<Key[]>('GET', '/keys', { query, signal })).value : skipToken,
    retry: false,
  })
}
