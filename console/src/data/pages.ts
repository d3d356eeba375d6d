import { infiniteQueryOptions } from '@tanstack/react-query'
import { type Answer, type CallOptions, call } from '../api/call.ts'

type Query = NonNullable<CallOptions['query']>

/** A list of the admin API, page by page. Old rows stay while others are loaded. */
export function pagesOf<Row>(path: string, query: Query, limit = 100) {
  const first = { ...query, limit }
  return infiniteQueryOptions({
    queryKey: [path, first],
    initialPageParam: first as Query,
    queryFn: ({ pageParam, signal }): Promise<Answer<Row[]>> => call('GET', path, { query: pageParam, signal }),
    getNextPageParam: ({ next }) => (next === undefined ? undefined : Object.fromEntries(new URLSearchParams(next))),
    placeholderData: previous => previous,
  })
}
