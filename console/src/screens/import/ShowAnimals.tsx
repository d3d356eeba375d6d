import { Link, type LinkProps } from '@tanstack/react-router'
import type { ImportTotals } from '../../api/import-answer.ts'

/** Leads to the animals, those with the newest ids first. */
export function ShowAnimals({ totals: { mode } }: { totals: ImportTotals }) {
  const search = (mode === 'add' ? { sort: 'newest' } : {}) as NonNullable<LinkProps['search']>
  return (
    <Link className="button button-primary" to={'/animals' as '/'} search={search}>
      {mode === 'add' ? 'Show the new animals' : 'Show the animals'}
    </Link>
  )
}
