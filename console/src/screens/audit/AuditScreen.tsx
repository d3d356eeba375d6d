import { type AuditFilter, auditQuery } from '../../data/audit.ts'
import { useRows } from '../../data/rows.ts'
import { fieldErrors } from '../../lib/field-errors.ts'
import { useFilters } from '../../lib/use-filters.ts'
import { useZone } from '../../lib/use-zone.ts'
import { DataTable } from '../../parts/DataTable.tsx'
import { ListError } from '../../parts/ListError.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { AuditFilters } from './AuditFilters.tsx'
import { COLUMNS } from './columns.tsx'
import { EntryDrawer } from './EntryDrawer.tsx'
import { Export } from './Export.tsx'
import './audit.css'

/** What operators have done, newest first. */
export function AuditScreen() {
  const [{ open, ...filter }, change, clear] = useFilters<AuditFilter & { open?: string }>()
  const [zone] = useZone()
  const { rows, error, ...list } = useRows(auditQuery(filter, zone))
  const isFiltered = Object.values(filter).some(Boolean)
  return (
    <Screen
      title="Audit log"
      description="Everything that operators have done, and when. Nothing can be changed or removed here."
      actions={<Export filter={filter} />}
      isFixed
    >
      <AuditFilters
        filter={filter}
        errors={fieldErrors(error, { not_found: 'account' })}
        onChange={change}
        onClear={clear}
      />
      <DataTable
        label="Audit log"
        columns={COLUMNS}
        rows={error ? [] : rows}
        keyOf={({ id }) => String(id)}
        onOpen={({ id }) => change({ open: String(id) })}
        openKey={open}
        {...list}
        empty={
          error ? <ListError error={error} onClear={clear} /> : <Nothing isFiltered={isFiltered} onClear={clear} />
        }
      />
      <EntryDrawer id={open} rows={rows} onClose={() => change({ open: '' })} />
    </Screen>
  )
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear(): void }) {
  if (isFiltered) {
    return <EmptyState title="No action matches" action={<Button onClick={onClear}>Clear filters</Button>} />
  }
  return <EmptyState title="No actions yet">What you and others do in the console appears here.</EmptyState>
}
