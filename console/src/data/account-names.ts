import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Account } from '../api/schema.ts'

/** The names of the first accounts that contain a text. */
export function accountNamesQuery(part: string) {
  const query = { name: part.trim(), limit: 10 }
  return queryOptions({
    queryKey: ['/accounts', { ...query, only: 'name' }],
    queryFn: async ({ signal }) =>
      (await call<Account[]>('GET', '/accounts', { query, signal })).value.map(({ name }) => name),
    enabled: query.name !== '',
    placeholderData: previous => previous,
  })
}
