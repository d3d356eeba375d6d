import type { AccountFilter } from '../../data/accounts.ts'
import { PLAN_OPTIONS } from '../../lib/plans.ts'
import { FilterBar } from '../../parts/FilterBar.tsx'
import { FilterSelect } from '../../parts/FilterSelect.tsx'
import { SearchField } from '../../parts/SearchField.tsx'

const PLANS = [{ value: '', name: 'All plans' }, ...PLAN_OPTIONS]
const STATES = [
  { value: '', name: 'All states' },
  { value: 'active', name: 'Active' },
  { value: 'suspended', name: 'Suspended' },
]
const ORDERS = [
  { value: '', name: 'Oldest first' },
  { value: 'newest', name: 'Newest first' },
  { value: 'name', name: 'By name' },
]

interface AccountFiltersProps {
  filter: AccountFilter
  onChange(changes: AccountFilter): void
  onClear(): void
}

export function AccountFilters({ filter: { name, plan, state, sort }, onChange, onClear }: AccountFiltersProps) {
  return (
    <FilterBar
      label="Filter accounts"
      isSet={[name, plan, state].some(Boolean)}
      onClear={onClear}
      main={<SearchField label="Search by name" value={name} onChange={name => onChange({ name })} />}
    >
      <FilterSelect label="Plan" options={PLANS} value={plan} onChoose={plan => onChange({ plan })} />
      <FilterSelect label="State" options={STATES} value={state} onChoose={state => onChange({ state })} />
      <FilterSelect label="Order" options={ORDERS} value={sort} onChoose={sort => onChange({ sort })} />
    </FilterBar>
  )
}
