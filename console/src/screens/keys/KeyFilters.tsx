import { FilterBar } from '../../parts/FilterBar.tsx'
import { SearchInput } from '../../parts/SearchInput.tsx'
import { Select } from '../../ui/Select.tsx'
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
  { value: '30', name: 'Expires within 30 days, or has' },
]

interface KeyFiltersProps {
  search: KeysSearch
  onChange(changes: KeysSearch): void
}

export function KeyFilters({ search: { search, state = '', unused = '', expires = '' }, onChange }: KeyFiltersProps) {
  return (
    <FilterBar label="Filter keys">
      <SearchInput
        label="Search keys"
        placeholder="Name, or the last characters of the key"
        value={search}
        onSearch={search => onChange({ search })}
      />
      <Select
        label="State"
        isBare
        options={STATES}
        value={state}
        onChange={({ target }) => onChange({ state: target.value })}
      />
      <Select
        label="Last use"
        isBare
        options={USES}
        value={unused}
        onChange={({ target }) => onChange({ unused: target.value })}
      />
      <Select
        label="Expiry"
        isBare
        options={EXPIRIES}
        value={expires}
        onChange={({ target }) => onChange({ expires: target.value })}
      />
    </FilterBar>
  )
}
