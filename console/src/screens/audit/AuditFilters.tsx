import type { AuditFilter } from '../../data/audit.ts'
import { ACTION_NAMES } from '../../lib/action-names.ts'
import { KIND_NAMES, SUBJECT_NAMES } from '../../lib/audit-words.ts'
import { AccountFilter } from '../../parts/AccountFilter.tsx'
import { FilterBar } from '../../parts/FilterBar.tsx'
import { FilterField } from '../../parts/FilterField.tsx'
import { FilterSelect } from '../../parts/FilterSelect.tsx'

interface AuditFiltersProps {
  filter: AuditFilter
  errors: ReadonlyMap<string, string>
  onChange(change: AuditFilter): void
  onClear(): void
}

const SUBJECTS = [
  { value: '', name: 'Any subject' },
  ...Object.entries(SUBJECT_NAMES).map(([value, name]) => ({ value, name })),
]
/** An action, or all actions of a kind. */
const ACTIONS = [
  { value: '', name: 'Any action' },
  ...Object.entries(KIND_NAMES).map(([kind, name]) => ({ group: name, options: actionsOf(kind, name) })),
]

export function AuditFilters({ filter, errors, onChange, onClear }: AuditFiltersProps) {
  const field = (name: keyof AuditFilter) => ({
    value: filter[name],
    error: errors.get(name),
    onApply: (value: string) => onChange({ [name]: value }),
  })
  const select = (name: keyof AuditFilter) => ({
    value: filter[name],
    error: errors.get(name),
    onChoose: (value: string) => onChange({ [name]: value }),
  })
  return (
    <FilterBar
      label="Filter the audit log"
      isSet={Object.values(filter).some(Boolean)}
      onClear={onClear}
      main={<FilterSelect label="Action" options={ACTIONS} {...select('action')} />}
    >
      <FilterField label="Operator" placeholder="Any operator" {...field('operator')} />
      <AccountFilter {...field('account')} />
      <FilterSelect label="Subject" options={SUBJECTS} {...select('subjectKind')} />
      <FilterField label="Subject id" placeholder="Subject id" inputMode="numeric" {...field('subjectId')} />
      <FilterField label="From" type="date" max={filter.to} {...field('from')} />
      <FilterField label="To" type="date" min={filter.from} {...field('to')} />
    </FilterBar>
  )
}

function actionsOf(kind: string, name: string) {
  const actions = Object.entries(ACTION_NAMES)
    .filter(([action]) => action.startsWith(`${kind}.`))
    .map(([value, name]) => ({ value, name }))
  return actions.length > 1 ? [{ value: kind, name: `${name}: all` }, ...actions] : actions
}
