import type { AuditFilter } from '../../data/audit.ts'
import { SUBJECT_NAMES } from '../../lib/audit-words.ts'
import { AccountFilter } from '../../parts/AccountFilter.tsx'
import { FilterField } from '../../parts/FilterField.tsx'
import { FilterGrid } from '../../parts/FilterGrid.tsx'
import { Select } from '../../ui/Select.tsx'
import { ActionSelect } from './ActionSelect.tsx'

interface AuditFiltersProps {
  filter: AuditFilter
  errors: ReadonlyMap<string, string>
  onChange(change: AuditFilter): void
}

const SUBJECTS = [
  { value: '', name: 'Anything' },
  ...Object.entries(SUBJECT_NAMES).map(([value, name]) => ({ value, name })),
]

export function AuditFilters({ filter, errors, onChange }: AuditFiltersProps) {
  const field = (name: keyof AuditFilter) => ({
    value: filter[name],
    error: errors.get(name),
    onApply: (value: string) => onChange({ [name]: value }),
  })
  return (
    <FilterGrid label="Filter the audit log">
      <FilterField label="Operator" placeholder="Name or id" {...field('operator')} />
      <ActionSelect value={filter.action} error={errors.get('action')} onChoose={action => onChange({ action })} />
      <Select
        label="Done to"
        options={SUBJECTS}
        value={filter.subjectKind ?? ''}
        error={errors.get('subjectKind')}
        onChange={({ target }) => onChange({ subjectKind: target.value })}
      />
      <FilterField label="With the id" placeholder="Any" inputMode="numeric" {...field('subjectId')} />
      <AccountFilter {...field('account')} />
      <FilterField label="From" type="date" max={filter.to} {...field('from')} />
      <FilterField label="To" type="date" min={filter.from} {...field('to')} />
    </FilterGrid>
  )
}
