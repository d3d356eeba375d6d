import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { pagesOf } from './query.ts'

export type Rows<Row extends { id: bigint }> = ReturnType<typeof useRows<Row>>

/** The rows of a list for a DataTable. Loaded rows stay if more or newer rows cannot be loaded. */
export function useRows<Row extends { id: bigint }>(pages: ReturnType<typeof pagesOf<Row>>) {
  const list = useInfiniteQuery(pages)
  const { data, error, fetchNextPage } = list
  const rows = useMemo(() => withoutRepeated(data?.pages.flatMap(({ value }) => value) ?? []), [data])
  const onEnd = useCallback(() => void fetchNextPage(), [fetchNextPage])
  return {
    rows,
    /** Which list it is: with other filters, it is another one. */
    listKey: pages.queryHash,
    hasMore: list.hasNextPage,
    // Not while rows that are shown are refetched.
    isLoading: list.isPending || list.isPlaceholderData || list.isFetchingNextPage,
    onEnd,
    /** Why there are no rows. */
    error: data ? null : error,
    /** Why the rows after the last one could not be loaded. */
    endError: list.isFetchNextPageError ? error : null,
  }
}

/** A row that moved between two pages may be on both. */
function withoutRepeated<Row extends { id: bigint }>(rows: readonly Row[]): readonly Row[] {
  return [...new Map(rows.map(row => [row.id, row])).values()]
}
