import type { PetTotals } from '../../api/schema.ts'
import type { AnimalFilter, Selected } from '../../data/animals.ts'
import { type Texts, useFilters } from '../../lib/search.ts'

/** The filters, the order and the open animal, as in the URL. */
type AnimalsSearch = Texts<'q' | 'status' | 'category' | 'sort' | 'open'>

export const useAnimalsSearch = useFilters<AnimalsSearch>

/** A number, with or without #, is the id of an animal. */
const ID = /^#?(\d+)$/

/** The choice of the deleted animals, beside the statuses of the others. */
export const DELETED = 'deleted'

export function filterOf({ q, status, category }: AnimalsSearch): AnimalFilter {
  const id = q?.trim().match(ID)?.[1]
  const name = id === undefined ? q : undefined
  return { id, name, status: status === DELETED ? undefined : status, categoryId: category }
}

export function countOf({ status = 'total' }: AnimalsSearch, totals: PetTotals | undefined): number | undefined {
  return totals && status.split(',').reduce((sum, name) => sum + totals[name as 'total'], 0)
}

export function isFiltered({ q, status, category }: AnimalsSearch): boolean {
  return [q, status, category].some(value => value !== undefined)
}

/** All animals that match the filters, in the form that bulk operations take. */
export function selectionOf(search: AnimalsSearch): Selected {
  const { id, name, status, categoryId } = filterOf(search)
  if (id !== undefined) return { ids: [BigInt(id)] }
  return {
    filter: {
      ...(name !== undefined && { name }),
      ...(status !== undefined && { status: status.split(',') }),
      ...(categoryId !== undefined && { categoryId: integerOf(categoryId) }),
    },
  }
}

/** Text that is not an integer is sent unchanged: the service explains what is wrong. */
export function integerOf(text: string): bigint | string {
  return /^-?\d+$/.test(text.trim()) ? BigInt(text.trim()) : text
}
