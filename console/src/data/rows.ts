import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { pagesOf } from './pages.ts'

/** The rows of a list as a DataTable takes them. */
export function useRows<Row>(pages: ReturnType<typeof pagesOf<Row>>) {
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery(pages)
  const rows = useMemo(() => data?.pages.flatMap(({ value }) => value) ?? [], [data])
  const onEnd = useCallback(() => void fetchNextPage(), [fetchNextPage])
  return { rows, hasMore: hasNextPage, isLoading: isFetching, onEnd, error, refetch }
}
