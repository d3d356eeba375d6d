import { FilterBar } from '../../parts/FilterBar.tsx'
import { FilterSelect } from '../../parts/FilterSelect.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import type { KeysSearch } from './key-search.ts'

const STATES = [
  { value: '', name: 'All states' },
  { value: 'active', name: 'Active' },
  { value: 'banned', name: 'Banned' },
  { value: 'expired', name: 'Expired' },
  { value: 'revoked', name: 'Revoked' },
]
const USES = [
  { value: '', name: 'Used or not' },
  { value: '30', name: 'Unused for 30 days' },
  { value: '90', name: 'Unused for 90 days' },
  { value: 'never', name: 'Never used' },
]
const EXPIRIES = [
  { value: '', name: 'Any expiry' },
  { value: '7', name: 'Expires within 7 days, or has' },
  { value: '14', name: 'Expires within 14 days, or has' },
  { value: '30', name: 'Expires within 30 days, or has' },
]

interface KeyFiltersProps {
  search: KeysSearch
  onChange(changes: KeysSearch): void
  onClear(): void
}

export function KeyFilters({ search: { key: _open, ...filter }, onChange, onClear }: KeyFiltersProps) {
  const { search, state, unused, expires } = filter
  return (
    <FilterBar
      label="Filter keys"
      isSet={Object.values(filter).some(Boolean)}
      onClear={onClear}
      main={
        <SearchField
          label="Search by name or last characters"
          value={search}
          onChange={search => onChange({ search })}
        />
      }
    >
      <FilterSelect label="State" options={STATES} value={state} onChoose={state => onChange({ state })} />
      <FilterSelect label="Last use" options={USES} value={unused} onChoose={unused => onChange({ unused })} />
      <FilterSelect label="Expiry" options={EXPIRIES} value={expires} onChoose={expires => onChange({ expires })} />
    </FilterBar>
  )
}
