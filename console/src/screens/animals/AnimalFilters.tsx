import { useQuery } from '@tanstack/react-query'
import { categoriesQuery, categoryName } from '../../data/categories.ts'
import { FilterBar } from '../../parts/FilterBar.tsx'
import { FilterSelect } from '../../parts/FilterSelect.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { isFiltered, useAnimalsSearch } from './search.ts'

const ORDERS = [
  { value: '', name: 'Newest first' },
  { value: 'oldest', name: 'Oldest first' },
]

export function AnimalFilters() {
  const { search, change } = useAnimalsSearch()
  const { data: categories = [] } = useQuery(categoriesQuery)
  const known = categories.map(({ id, label }) => ({ value: String(id), name: categoryName(id, label) }))
  const chosen = search.category
  const isUnknown = chosen !== undefined && !known.some(({ value }) => value === chosen)
  return (
    <FilterBar
      label="Filter animals"
      isSet={isFiltered(search)}
      onClear={() => change({ q: undefined, status: undefined, category: undefined })}
      main={<SearchField label="Search by name or number" value={search.q} onChange={q => change({ q }, true)} />}
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
