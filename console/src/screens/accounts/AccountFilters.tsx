import type { AccountFilter } from '../../data/accounts.ts'
import { PLAN_OPTIONS } from '../../lib/plans.ts'
import { FilterBar } from '../../parts/FilterBar.tsx'
import { SearchInput } from '../../parts/SearchInput.tsx'
import { Select } from '../../ui/Select.tsx'

const PLANS = [{ value: '', name: 'All plans' }, ...PLAN_OPTIONS]
const STATES = [
  { value: '', name: 'Active and suspended' },
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
}

export function AccountFilters({ filter: { name, plan = '', state = '', sort = '' }, onChange }: AccountFiltersProps) {
  return (
    <FilterBar label="Filter accounts">
      <SearchInput
        label="Search by name"
        placeholder="Search by name"
        value={name}
        onSearch={name => onChange({ name })}
      />
      <Select
        label="Plan"
        isBare
        options={PLANS}
        value={plan}
        onChange={({ target }) => onChange({ plan: target.value })}
      />
      <Select
        label="State"
        isBare
        options={STATES}
        value={state}
        onChange={({ target }) => onChange({ state: target.value })}
      />
      <Select
        label="Order"
        isBare
        options={ORDERS}
        value={sort}
        onChange={({ target }) => onChange({ sort: target.value })}
      />
    </FilterBar>
  )
}
