import { useQuery } from '@tanstack/react-query'
import type { PetTotals } from '../../api/schema.ts'
import { categoryName, categoryOptionsQuery } from '../../data/categories.ts'
import { formatCount } from '../../lib/numbers.ts'
import { FilterBar, FilterSelect, SearchField } from '../../parts/Filters.tsx'
import { STATUSES } from '../../parts/statuses.tsx'
import { isFiltered, useAnimalsSearch } from './search.ts'

const ORDERS = [
  { value: '', name: 'Newest first' },
  { value: 'oldest', name: 'Oldest first' },
]

export function AnimalFilters() {
  const { search, change } = useAnimalsSearch()
  const { data: known = [] } = useQuery(categoryOptionsQuery)
  const chosen = search.category
  const isUnknown = chosen !== undefined && !known.some(({ value }) => value === chosen)
  return (
    <FilterBar
      label="Filter animals"
      isSet={isFiltered(search)}
      onClear={() => change({ q: undefined, status: undefined, category: undefined })}
      main={<SearchField label="Search by name or number" value={search.q} onChoose={q => change({ q }, true)} />}
    >
      <FilterSelect
        label="Category"
        value={chosen}
        onChoose={category => change({ category: category || undefined })}
        options={[
          { value: '', name: 'All categories' },
          ...known,
          ...(isUnknown ? [{ value: chosen, name: categoryName(chosen, null) }] : []),
        ]}
      />
      <FilterSelect
        label="Order"
        value={search.sort}
        onChoose={sort => change({ sort: sort || undefined })}
        options={ORDERS}
      />
    </FilterBar>
  )
}

/** One status or all, each with its number of animals. */
export function StatusTabs({ totals }: { totals: PetTotals | undefined }) {
  const { search, change } = useAnimalsSearch()
  const chosen = search.status?.split(',')
  const tabs = [
    { value: undefined, name: 'All', count: totals?.total },
    ...STATUSES.map(({ value, name }) => ({ value, name, count: totals?.[value] })),
  ]
  return (
    <fieldset className="tabs" aria-label="Status">
      {tabs.map(({ value, name, count }) => (
        <button
          key={name}
          type="button"
          className="tab"
          aria-pressed={value === undefined ? chosen === undefined : (chosen?.includes(value) ?? false)}
          onClick={() => change({ status: value })}
        >
          {name}
          {count !== undefined && <span className="tab-count">{formatCount(count)}</span>}
        </button>
      ))}
    </fieldset>
  )
}
