import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { pagesOf } from './query.ts'

/** The rows of a list for a DataTable. Loaded rows stay if more or newer rows cannot be loaded. */
export function useRows<Row>(pages: ReturnType<typeof pagesOf<Row>>) {
  const { data, error, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = useInfiniteQuery(pages)
  const rows = useMemo(() => data?.pages.flatMap(({ value }) => value) ?? [], [data])
  const onEnd = useCallback(() => void fetchNextPage(), [fetchNextPage])
  return {
    rows,
    hasMore: hasNextPage,
    isLoading: isFetching,
    onEnd,
    error: data ? null : error,
    endError: isFetchNextPageError ? error : null,
  }
}
