import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PetTotals } from '../../api/schema.ts'
import type { Selected } from '../../data/animals.ts'
import { categoryName, categoryOptionsQuery } from '../../data/categories.ts'
import { formatCount } from '../../lib/numbers.ts'
import { optionsOf } from '../../lib/options.ts'
import { controlsOf } from '../../lib/search.ts'
import { FilterBar, FilterSelect, SearchField } from '../../parts/Filters.tsx'
import type { Selection } from '../../parts/selection.tsx'
import { STATUSES } from '../../parts/statuses.tsx'
import { Button } from '../../ui/Button.tsx'
import { BulkDialog } from './dialogs.ts'
import { DELETED, isFiltered, useAnimalsSearch } from './search.ts'

const ORDERS = optionsOf({ '': 'Newest first', oldest: 'Oldest first' })

/** Deleted animals are not in the order of their deletions. */
const ORDERS_OF_DELETED = optionsOf({ '': 'Highest number first', oldest: 'Lowest number first' })

export function AnimalFilters() {
  const [search, change] = useAnimalsSearch()
  const control = controlsOf(search, change)
  const { data: known = [] } = useQuery(categoryOptionsQuery)
  const chosen = search.category
  const isUnknown = chosen !== undefined && !known.some(({ value }) => value === chosen)
  return (
    <FilterBar
      label="Filter animals"
      isSet={isFiltered(search)}
      onClear={() => change({ q: undefined, status: undefined, category: undefined })}
      main={<SearchField label="Search by name or number" {...control('q', true)} />}
    >
      <FilterSelect
        label="Category"
        {...control('category')}
        options={[
          { value: '', name: 'All categories' },
          ...known,
          ...(isUnknown ? [{ value: chosen, name: categoryName(chosen, null) }] : []),
        ]}
      />
      <FilterSelect
        label="Order"
        options={search.status === DELETED ? ORDERS_OF_DELETED : ORDERS}
        {...control('sort')}
      />
    </FilterBar>
  )
}

/** One status or all, each with its number of animals, or the deleted ones. */
export function StatusTabs({ totals }: { totals: PetTotals | undefined }) {
  const [search, change] = useAnimalsSearch()
  const chosen = search.status?.split(',')
  const tabs = [
    { value: undefined, name: 'All', count: totals?.total },
    ...STATUSES.map(({ value, name }) => ({ value, name, count: totals?.[value] })),
    { value: DELETED, name: 'Deleted', count: undefined },
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
          {count !== undefined && <span className="tab-count number">{formatCount(count)}</span>}
        </button>
      ))}
    </fieldset>
  )
}

interface BulkBarProps {
  selection: Selection
  /** Everything that matches the filters. */
  whole: Selected
  /** How many that is; undefined if all of them are loaded. */
  all: number | undefined
}

export function BulkBar({ selection, whole, all }: BulkBarProps) {
  const [kind, setKind] = useState<'correct' | 'delete'>()
  const { size, isWhole, isAll, keys, clear, selectWhole } = selection
  const count = formatCount(isWhole ? (all ?? size) : size)
  const selected: Selected = isWhole ? whole : { ids: [...keys].map(BigInt) }
  return (
    <section className="bulk-bar box row" aria-label="Selected animals">
      <strong role="status">{count} selected</strong>
      {isAll && !isWhole && all !== undefined && (
        <Button kind="quiet" onClick={selectWhole}>
          Select all {formatCount(all)} that match
        </Button>
      )}
      <span className="row">
        <Button onClick={() => setKind('correct')}>Change…</Button>
        <Button onClick={() => setKind('delete')}>Delete…</Button>
        <Button kind="quiet" onClick={clear}>
          Clear selection
        </Button>
      </span>
      {kind && <BulkDialog kind={kind} selected={selected} onClose={() => setKind(undefined)} onDone={clear} />}
    </section>
  )
}
