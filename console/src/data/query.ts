import {
  infiniteQueryOptions,
  type QueryFunction,
  queryOptions,
  type SkipToken,
  type UndefinedInitialDataOptions,
} from '@tanstack/react-query'
import { type Answer, call, type Query } from '../api/call.ts'
import type { Key, Pages } from './query-keys.ts'

/** How often data that changes without an event is read again. The service saves its counts every few seconds. */
export const REFETCH_MS = 30_000

/** How a query behaves, whatever it reads. */
type Behaviour<Data> = Omit<UndefinedInitialDataOptions<Data, Error, Data, Key<Data>>, 'queryKey' | 'queryFn'>

interface Parts<Data> extends Behaviour<Data> {
  queryKey: Key<Data>
  queryFn: QueryFunction<NoInfer<Data>, Key<Data>> | SkipToken
}

/** A query whose data is what its key holds. */
export function queryOf<Data>(parts: Parts<Data>) {
  return queryOptions<Data, Error, Data, Key<Data>>(parts)
}

/** A query of one response of the admin API. */
export function valueQuery<Value>(key: Key<Value>, path: string, query: Query = {}, behaviour: Behaviour<Value> = {}) {
  return queryOf({
    ...behaviour,
    queryKey: key,
    queryFn: async ({ signal }) => (await call<Value>('GET', path, { query, signal })).value,
  })
}

/** A list of the admin API, page by page. Old rows stay while others are loaded. */
export function pagesOf<Row>(key: Key<Pages<Row>>, path: string, query: Query = {}, limit = 100) {
  const first: Query = { ...query, limit }
  return infiniteQueryOptions({
    queryKey: key,
    initialPageParam: first,
    queryFn: ({ pageParam, signal }): Promise<Answer<Row[]>> => call('GET', path, { query: pageParam, signal }),
    getNextPageParam: ({ next }) => (next === undefined ? undefined : Object.fromEntries(new URLSearchParams(next))),
    placeholderData: previous => previous,
  })
}
