import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { Source } from '../../api/schema.ts'
import { type NewSource, sourcesQuery, useCreateSource } from '../../data/sources.ts'
import { fieldOf } from '../../lib/forms.ts'
import { useOpened } from '../../lib/search.ts'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { TimeText } from '../../parts/times.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, Select } from '../../ui/Field.tsx'
import { Badge, Notice } from '../../ui/states.tsx'
import { SourceDrawer } from './SourceDrawer.tsx'
import { MISSING_OPTIONS, summaryOf } from './words.ts'

export function SourcesScreen() {
  const [isCreating, setIsCreating] = useState(false)
  const { opened: name, open, close } = useOpened('open')
  const { data: rows = [], error, isPending } = useQuery(sourcesQuery)
  const opened = rows.find(source => source.name === name)
  const isUnknown = name !== undefined && !opened && !isPending && !error
  return (
    <Screen
      title="Sources"
      description="Files that other software writes again and again, with all its animals. Each file adds, corrects and takes away what has changed."
      actions={
        <Button icon="plus" kind="primary" onClick={() => setIsCreating(true)}>
          Create source
        </Button>
      }
    >
      <DataTable
        label="Sources"
        columns={COLUMNS}
        rows={rows}
        listKey=""
        onOpen={({ name }) => open(name)}
        openKey={opened && String(opened.id)}
        hasMore={false}
        isLoading={isPending}
        onEnd={() => {}}
        error={error}
        endError={null}
        empty={['There are no sources', 'Create one for each file that is sent regularly.']}
      />
      {isCreating && <CreateDialog onClose={() => setIsCreating(false)} onCreated={open} />}
      {opened && <SourceDrawer key={opened.name} source={opened} onClose={close} />}
      {isUnknown && (
        <Dialog onClose={close} title={<span dir="auto">{name}</span>} isDrawer>
          <Notice>There is no source with this name.</Notice>
        </Dialog>
      )}
    </Screen>
  )
}

const COLUMNS: Column<Source>[] = [
  { name: 'Name', cell: ({ name }) => <strong dir="auto">{name}</strong> },
  { name: 'State', width: '8rem', onPhone: 'plain', cell: source => <SourceState source={source} /> },
  {
    name: 'Last file',
    width: '9rem',
    onPhone: 'labelled',
    cell: ({ lastRun }) => lastRun && <TimeText at={lastRun.at} />,
  },
  { name: 'Result', isSecondary: true, cell: ({ lastRun }) => lastRun && (lastRun.refusal ?? summaryOf(lastRun)) },
  {
    name: 'Next expected',
    width: '9rem',
    isSecondary: true,
    cell: ({ nextExpectedAt }) => nextExpectedAt && <TimeText at={nextExpectedAt} />,
  },
]

function SourceState({ source: { isLate, lastRun } }: { source: Source }) {
  if (isLate) return <Badge tone="danger">Late</Badge>
  if (lastRun?.outcome === 'refused') return <Badge tone="danger">Refused</Badge>
  return lastRun ? <Badge tone="good">On time</Badge> : <Badge>No file yet</Badge>
}

function CreateDialog({ onClose, onCreated }: { onClose(): void; onCreated(name: string): void }) {
  const create = useCreateSource()
  const form = useForm<NewSource>({ defaultValues: { name: '', missing: 'sold' } })
  return (
    <FormDialog
      title="Create a source"
      action="Create source"
      form={form}
      onSave={values => create.mutateAsync(values)}
      onDone={({ name }) => onCreated(name)}
      onClose={onClose}
    >
      <Field
        label="Name"
        hint="The shelter or the software that sends the file, without blanks, such as happy-paws."
        {...fieldOf(form, 'name')}
      />
      <Select label="Animals that are missing in a file" options={MISSING_OPTIONS} {...fieldOf(form, 'missing')} />
    </FormDialog>
  )
}
