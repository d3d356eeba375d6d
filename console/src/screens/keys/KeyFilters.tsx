import { AccountFilter } from '../../parts/AccountFilter.tsx'
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
  { value: '7', name: 'Expired or within 7 days' },
  { value: '14', name: 'Expired or within 14 days' },
  { value: '30', name: 'Expired or within 30 days' },
]

interface KeyFiltersProps {
  search: KeysSearch
  errors: ReadonlyMap<string, string>
  onChange(changes: KeysSearch): void
  onClear(): void
}

export function KeyFilters({ search: { key: _open, ...filter }, errors, onChange, onClear }: KeyFiltersProps) {
  const { account, search, state, unused, expires } = filter
  return (
    <FilterBar
      label="Filter keys"
      isSet={Object.values(filter).some(Boolean)}
      onClear={onClear}
      main={<SearchField label="Search by name or ending" value={search} onChange={search => onChange({ search })} />}
    >
      <AccountFilter value={account} error={errors.get('account')} onApply={account => onChange({ account })} />
      <FilterSelect label="State" options={STATES} value={state} onChoose={state => onChange({ state })} />
      <FilterSelect label="Last use" options={USES} value={unused} onChoose={unused => onChange({ unused })} />
      <FilterSelect label="Expiry" options={EXPIRIES} value={expires} onChoose={expires => onChange({ expires })} />
    </FilterBar>
  )
}
