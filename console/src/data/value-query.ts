import { call, type Query } from '../api/call.ts'
import { type Behaviour, queryOf } from './query.ts'
import type { Key } from './query-keys.ts'

/** A query of one response of the admin API. */
export function valueQuery<Value>(key: Key<Value>, path: string, query: Query = {}, behaviour: Behaviour<Value> = {}) {
  return queryOf({
    ...behaviour,
    queryKey: key,
    queryFn: async ({ signal }) => (await call<Value>('GET', path, { query, signal })).value,
  })
}
