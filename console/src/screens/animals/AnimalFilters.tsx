import { useQuery } from '@tanstack/react-query'
import { categoriesQuery, categoryName } from '../../data/categories.ts'
import { SearchField } from '../../parts/SearchField.tsx'
import { FilterSelect } from '../../ui/Select.tsx'
import { useAnimalsSearch } from './search.ts'

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
    <search className="animals-filters">
      <SearchField label="Search by name or number" value={search.q} onChange={q => change({ q }, true)} />
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
    </search>
  )
}
