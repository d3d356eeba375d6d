import { getRouteApi } from '@tanstack/react-router'
import { type AnimalFilter, animalsQuery, type Selected } from '../../data/animals.ts'

/** The filters, the order and the open animal, as in the URL. */
interface AnimalsSearch {
  q?: string | undefined
  status?: string | undefined
  category?: string | undefined
  sort?: string | undefined
  open?: string | undefined
}

const route = getRouteApi('/animals')

export function useAnimalsSearch() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (changed: AnimalsSearch, replace = false) =>
    void navigate({ search: previous => withoutUndefined({ ...previous, ...changed }), replace, resetScroll: false })
  return { search, change }
}

/** A number, with or without #, is the id of an animal. */
const ID = /^#?(\d+)$/

export function filterOf({ q, status, category }: AnimalsSearch): AnimalFilter {
  const id = q?.trim().match(ID)?.[1]
  return { id, name: id === undefined ? q : undefined, status, categoryId: category }
}

export function listOf(search: AnimalsSearch) {
  return animalsQuery(filterOf(search), search.sort === 'oldest' ? 'oldest' : 'newest')
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

function withoutUndefined(search: AnimalsSearch) {
  const given = Object.entries(search).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [Name in keyof AnimalsSearch]?: string }
}
