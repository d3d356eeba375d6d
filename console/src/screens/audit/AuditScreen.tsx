import type { AuditEntry } from '../../api/schema.ts'
import { type AuditFilter, auditExportUrl, auditQuery } from '../../data/audit.ts'
import { useRows } from '../../data/rows.ts'
import { ACTION_NAMES, actionName, KIND_NAMES, SUBJECT_NAMES } from '../../lib/audit-words.ts'
import { filterErrors } from '../../lib/forms.ts'
import { optionsOf } from '../../lib/options.ts'
import { controlsOf, useFilters, useOpened } from '../../lib/search.ts'
import { useZone } from '../../lib/use-preferences.ts'
import { AnimalChange } from '../../parts/animal-changes.tsx'
import { Actor, SubjectLink } from '../../parts/audit.tsx'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { AccountFilter, FilterBar, FilterField, FilterSelect } from '../../parts/Filters.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { TimeText } from '../../parts/times.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Badge } from '../../ui/states.tsx'
import { EntryDrawer } from './EntryDrawer.tsx'
import './audit.css'

export function AuditScreen() {
  const [{ open: _, ...filter }, change, clear] = useFilters<AuditFilter & { open?: string }>()
  const { opened, open, close } = useOpened('open')
  const [zone] = useZone()
  const list = useRows(auditQuery(filter, zone))
  const control = controlsOf(filter, change, filterErrors(list.error))
  const isFiltered = Object.values(filter).some(Boolean)
  return (
    <Screen
      title="Audit log"
      description="Everything that operators have done, and when. Nothing can be changed or removed here."
      actions={<Export filter={filter} />}
      isFixed
    >
      <FilterBar
        label="Filter the audit log"
        isSet={isFiltered}
        onClear={clear}
        main={<FilterSelect label="Action" options={ACTIONS} {...control('action')} />}
      >
        <FilterField label="Operator" placeholder="Any operator" {...control('operator')} />
        <AccountFilter {...control('account')} />
        <FilterSelect label="Subject" options={SUBJECTS} {...control('subjectKind')} />
        <FilterField label="Subject number" placeholder="Number" inputMode="numeric" {...control('subjectId')} />
        <FilterField label="From" type="date" max={filter.to} {...control('from')} />
        <FilterField label="To" type="date" min={filter.from} {...control('to')} />
      </FilterBar>
      <DataTable
        label="Audit log"
        columns={filter.subjectKind === 'pet' && filter.subjectId ? COLUMNS_OF_ANIMAL : COLUMNS}
        onOpen={({ id }) => open(String(id))}
        openKey={opened}
        {...list}
        onClear={clear}
        notFound={isFiltered && ['No action matches']}
        empty={['No actions yet', 'What you and others do in the console appears here.']}
      />
      {opened && <EntryDrawer id={opened} rows={list.rows} onClose={close} />}
    </Screen>
  )
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: 'When', width: '9rem', onPhone: 'end', cell: ({ at }) => <TimeText at={at} /> },
  { name: 'Action', onPhone: 'title', cell: ({ action }) => <Action action={action} /> },
  { name: 'Subject', onPhone: 'plain', cell: entry => <SubjectLink entry={entry} /> },
  { name: 'Operator', onPhone: 'plain', cell: entry => <Actor entry={entry} /> },
  { name: 'From', width: '11rem', isSecondary: true, cell: ({ origin }) => origin },
]

/** The same, for the entries of one animal: what each did to it. */
const COLUMNS_OF_ANIMAL = COLUMNS.map(column => {
  if (column.name === 'Action' || column.name === 'Operator') return { ...column, width: '13rem' }
  if (column.name !== 'Subject') return column
  return { ...column, name: 'Change', cell: ({ pet }: AuditEntry) => <OneAnimal pet={pet} /> }
})

function OneAnimal({ pet }: { pet: AuditEntry['pet'] }) {
  if (!pet) return null
  const name = (pet.after ?? pet.before)?.name
  return (
    <span>
      {name !== undefined && (
        <>
          <strong dir="auto">{name}</strong> ·{' '}
        </>
      )}
      <AnimalChange before={pet.before} after={pet.after} />
    </span>
  )
}

function Action({ action }: { action: string }) {
  if (action === 'sign-in.refused') return <Badge tone="danger">{actionName(action)}</Badge>
  return <strong>{actionName(action)}</strong>
}

const FORMATS = [
  ['csv', 'Export', 'CSV, for a spreadsheet', 'plain'],
  ['ndjson', 'For programs', 'NDJSON: a line of JSON for each entry', 'quiet'],
] as const

/** Links to all matching entries, not only the loaded ones. */
function Export({ filter }: { filter: AuditFilter }) {
  const [zone] = useZone()
  return FORMATS.map(([format, name, title, kind]) => (
    <a
      key={format}
      className={`button button-${kind}`}
      title={title}
      href={auditExportUrl(filter, zone, format)}
      download
    >
      <Icon name="export" />
      {name}
    </a>
  ))
}

const SUBJECTS = optionsOf({ '': 'Any subject', ...SUBJECT_NAMES })
/** An action, or all actions of a kind. */
const ACTIONS = [
  { value: '', name: 'Any action' },
  ...Object.entries(KIND_NAMES).map(([kind, name]) => ({ group: name, options: actionsOf(kind, name) })),
]

function actionsOf(kind: string, name: string) {
  const actions = optionsOf(ACTION_NAMES).filter(({ value }) => value.startsWith(`${kind}.`))
  return actions.length > 1 ? [{ value: kind, name: `${name}: all` }, ...actions] : actions
}
