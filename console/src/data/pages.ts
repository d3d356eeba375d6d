import { infiniteQueryOptions } from '@tanstack/react-query'
import { type Answer, call, type Query } from '../api/call.ts'
import type { Key, Pages } from './query-keys.ts'

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
