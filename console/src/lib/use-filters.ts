import { useLocation, useNavigate } from '@tanstack/react-router'

type Search = Readonly<Record<string, string | undefined>>

/** The search of the current screen, with functions to change and to clear it. */
export function useFilters<Filters extends Search>(): readonly [
  Filters,
  (change: Partial<Filters>) => void,
  () => void,
] {
  const filters = useLocation().search as Search as Filters
  const navigate = useNavigate()
  const show = (next: Search) => void navigate({ to: '.', search: next as never, replace: true })
  return [filters, change => show({ ...filters, ...change }), () => show({})]
}
