import {
  type InfiniteData,
  infiniteQueryOptions,
  queryOptions,
  type UndefinedInitialDataOptions,
} from '@tanstack/react-query'
import { type Answer, call, fetchValue, formatJson, type Query } from '../api/call.ts'
import { cacheKey, type Key, type Path } from './query-keys.ts'

declare module '@tanstack/react-query' {
  interface Register {
    queryKey: Key
  }
}

/** Reads a list page by page. */
export async function* readPages<Row>(path: Path, query: Query, signal?: AbortSignal): AsyncGenerator<Row[]> {
  for (let next: Query | undefined = query; next !== undefined; ) {
    const answer: Answer<Row[]> = await call('GET', path, { query: next, signal })
    yield answer.value
    next = answer.next
  }
}

/** How often data that changes without an event is read again. The service saves its counts every few seconds. */
export const REFETCH_MS = 30_000

/** How a query behaves, whatever it reads. */
type Behaviour<Data> = Omit<UndefinedInitialDataOptions<Data, Error, Data, Key>, 'queryKey' | 'queryFn'>

/** A query of one response of the admin API. */
export function valueQuery<Value>(path: Path, query: Query = {}, behaviour: Behaviour<Value> = {}) {
  return queryOptions<Value, Error, Value, Key>({
    ...behaviour,
    queryKey: cacheKey(path, 'value', query),
    queryFn: ({ signal }) => fetchValue('GET', path, { query, signal }),
  })
}

export type Pages<Row> = InfiniteData<Answer<Row[]>, Query>

/** A list with more pages than this is not read again as a whole: that would take too long. */
export const MAX_REFETCHED_PAGES = 5

export function isLong({ state: { data } }: { state: { data: unknown } }): boolean {
  const { pages = [] } = (data ?? {}) as Partial<Pages<unknown>>
  return pages.length > MAX_REFETCHED_PAGES
}

/**
 * A list of the admin API, page by page. Old rows stay while others are loaded, unless they are those of another record.
 * @param everyMs how often it is read again, if that is needed
 */
export function pagesOf<Row>(path: Path, query: Query = {}, limit = 100, everyMs: number | false = false) {
  const first: Query = { ...query, limit }
  const queryKey = cacheKey(path, 'pages', query)
  return infiniteQueryOptions({
    queryKey,
    queryHash: formatJson(queryKey),
    initialPageParam: first,
    queryFn: ({ pageParam, signal }): Promise<Answer<Row[]>> => call('GET', path, { query: pageParam, signal }),
    getNextPageParam: ({ next }) => next,
    placeholderData: (rows, before) => (before?.queryKey[1] === path ? rows : undefined),
    // Comparing every loaded row with itself would take longer with each page.
    structuralSharing: false,
    refetchOnWindowFocus: query => !isLong(query),
    refetchInterval: query => !isLong(query) && everyMs,
  })
}
