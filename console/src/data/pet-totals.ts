import { keepPreviousData } from '@tanstack/react-query'
import { valueQuery } from './query.ts'
import { cacheKey } from './query-keys.ts'

/** The numbers of animals by status. In a file of its own because the overview loads nothing else about animals. */
export function totalsQuery({ name, categoryId }: { name?: string | undefined; categoryId?: string | undefined }) {
  const query = { name, categoryId }
  return valueQuery(cacheKey('pets', 'totals', query), '/pets/totals', query, { placeholderData: keepPreviousData })
}
