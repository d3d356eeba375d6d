import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { CategoryUse } from '../api/schema.ts'
import { readPages } from './query.ts'
import { cacheKey } from './query-keys.ts'
import { refreshAnimals, useWrite } from './write.ts'

/** The most categories to offer in a list. In a longer one, no one would find anything. */
const MAX_CATEGORIES = 500

/** The categories that have a label or animals, with the labelled ones first, by name. */
export const categoriesQuery = queryOptions({
  queryKey: cacheKey('/categories'),
  queryFn: ({ signal }) => readCategories(signal),
  staleTime: 60_000,
})

export const categoryOptionsQuery = {
  ...categoriesQuery,
  select: (categories: CategoryUse[]) =>
    categories.map(({ id, label }) => ({ value: String(id), name: categoryName(id, label) })),
}

/** An empty label removes the label. */
export function useLabelCategory() {
  return useWrite(
    async ({ id, label }: { id: bigint; label: string }) => {
      const path = `/categories/${id}`
      await (label === '' ? call('DELETE', path) : call('PUT', path, { body: { label } }))
      return { id, label: label || null }
    },
    (client, saved) => {
      client.setQueryData(categoriesQuery.queryKey, rows =>
        rows?.map(row => (row.id === saved?.id ? { ...row, ...saved } : row)),
      )
      refreshAnimals(client)
    },
  )
}

/** The display name of a category, which may have a label. */
export function useCategoryName(): (id: bigint | string) => string {
  const { data } = useQuery(categoryOptionsQuery)
  return id => data?.find(({ value }) => value === String(id))?.name ?? categoryName(id, null)
}

export function categoryName(id: bigint | string, label: string | null | undefined): string {
  return label ?? `Category ${id}`
}

async function readCategories(signal: AbortSignal): Promise<CategoryUse[]> {
  const found: CategoryUse[] = []
  for await (const some of readPages<CategoryUse>('/categories', { limit: 100 }, signal)) {
    found.push(...some)
    if (found.length >= MAX_CATEGORIES) break
  }
  const labelled = found.filter(({ label }) => label !== null)
  const others = found.filter(({ label }) => label === null)
  return [...labelled.toSorted((a, b) => (a.label ?? '').localeCompare(b.label ?? '')), ...others]
}
