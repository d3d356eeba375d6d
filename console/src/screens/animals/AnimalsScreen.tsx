import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Pet } from '../../api/schema.ts'
import { animalsQuery, deletedAnimalsQuery, useUnansweredCorrections } from '../../data/animals.ts'
import { totalsQuery } from '../../data/overview.ts'
import { useRows } from '../../data/rows.ts'
import { useOpened } from '../../lib/search.ts'
import { useMedia } from '../../lib/use-media.ts'
import { DataTable, focusRow } from '../../parts/DataTable.tsx'
import { ExportButton } from '../../parts/ExportButton.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { useSelection } from '../../parts/selection.tsx'
import { useAction, useShortcut } from '../../shortcuts/shortcuts.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { AnimalFilters, BulkBar, StatusTabs } from './AnimalFilters.tsx'
import { columnsOf, type Editing } from './columns.tsx'
import {
  AddAnimalDialog,
  AnimalDrawer,
  CategoriesDialog,
  ConflictDialog,
  DeleteAnimalDialog,
  DeletedAnimals,
  StatusMenu,
} from './dialogs.ts'
import { countOf, DELETED, filterOf, isFiltered, selectionOf, useAnimalsSearch } from './search.ts'
import { type Correct, reportUnchanged, useCorrection } from './use-correction.ts'
import { useSteps } from './use-steps.ts'
import './animals.css'

/** The window has room for the open animal beside the list. */
const BESIDE = '(min-width: 56.25rem)'

const NONE: readonly Pet[] = []
const NOT_FOUND = [
  'No animal matches',
  'Search for a part of the name, in upper or lower case and with or without accents, or for the number of the animal.',
] as const

export function AnimalsScreen() {
  const [search] = useAnimalsSearch()
  const [dialog, setDialog] = useState<'add' | 'categories'>()
  const { correct, conflict, ...decisions } = useCorrection()
  const filter = filterOf(search)
  const close = () => setDialog(undefined)
  useAction('addAnimal', () => setDialog('add'))
  return (
    <Screen
      title="Animals"
      description="Click an animal to see its details. You can correct names and statuses in the list."
      isFixed
      actions={
        <>
          <Button icon="tag" onClick={() => setDialog('categories')}>
            Categories
          </Button>
          <Link className="button" to="/import">
            <Icon name="import" />
            Import
          </Link>
          {filter.id === undefined && search.status !== DELETED && <ExportButton filter={filter} />}
          <Button icon="plus" kind="primary" onClick={() => setDialog('add')}>
            Add animal
          </Button>
        </>
      }
    >
      <AnimalsTable correct={correct} />
      {dialog === 'add' && <AddAnimalDialog onClose={close} />}
      {dialog === 'categories' && <CategoriesDialog onClose={close} />}
      {conflict && <ConflictDialog conflict={conflict} {...decisions} />}
    </Screen>
  )
}

function AnimalsTable({ correct }: { correct: Correct }) {
  const [search, change] = useAnimalsSearch()
  const isOfDeleted = search.status === DELETED
  const order = search.sort === 'oldest' ? 'oldest' : 'newest'
  const deleted = useRows({ ...deletedAnimalsQuery(filterOf(search), order), enabled: isOfDeleted })
  const list = useRows({ ...animalsQuery(filterOf(search), order), enabled: !isOfDeleted })
  const totals = useQuery(totalsQuery(filterOf(search)))
  const rows = isOfDeleted ? NONE : list.rows
  const keys = useMemo(() => rows.map(({ id }) => String(id)), [rows])
  const selection = useSelection(keys, (isOfDeleted ? deleted : list).listKey)
  const [editing, setEditing] = useState<Editing>()
  const [leaving, setLeaving] = useState<Pet>()
  const all = countOf(search, totals.data)
  const { opened, open, close } = useOpened('open')
  const steps = useSteps(isOfDeleted ? { ...deleted, total: undefined } : { ...list, total: all })
  const isBeside = useMedia(BESIDE)
  const [entered, setEntered] = useState<object>()
  const opening = {
    openKey: opened,
    onOpen({ id }: { id: bigint }, isByKey: boolean) {
      setEntered(isByKey ? {} : undefined)
      open(String(id))
    },
    onStep: isBeside ? steps.onStep : undefined,
  }

  useShortcut({ keys: 'e', name: 'Correct name' }, rows.length > 0)
  useShortcut({ keys: 's', name: 'Change status' }, rows.length > 0)
  useShortcut({ keys: 'Delete', name: 'Delete animal' }, rows.length > 0)

  const stop = (animal: Pet) => {
    setEditing(undefined)
    requestAnimationFrame(() => {
      // The operator may have gone elsewhere while a name was being saved.
      if (document.activeElement?.matches(`body, tr[data-key="${animal.id}"] *`)) focusRow(String(animal.id))
    })
  }
  const setStatus = (animal: Pet, status: Pet['status']) => {
    stop(animal)
    if (status === animal.status) return
    correct({ animal, change: { status } }).catch(error => reportUnchanged(animal, error))
  }
  const clear = () => change({ q: undefined, status: undefined, category: undefined })
  const unanswered = useUnansweredCorrections()
  const columns = columnsOf({ editing, unanswered, correct, onEdit: setEditing, onStop: stop })

  return (
    <>
      <div className="animals-tools stack">
        <StatusTabs totals={filterOf(search).id === undefined ? totals.data : undefined} />
        <AnimalFilters />
        {selection.size > 0 && (
          <BulkBar selection={selection} whole={selectionOf(search)} all={list.hasMore ? all : undefined} />
        )}
      </div>
      {isOfDeleted ? (
        <DeletedAnimals list={deleted} opening={opening} />
      ) : (
        <DataTable<Pet>
          label="Animals"
          columns={columns}
          {...list}
          {...opening}
          selection={selection}
          nameOf={({ name }) => name}
          onKey={(key, animal) => {
            if (key === 'e') setEditing({ id: animal.id, member: 'name' })
            else if (key === 's') setEditing({ id: animal.id, member: 'status' })
            else if (key === 'Delete') setLeaving(animal)
            else return false
            return true
          }}
          onClear={clear}
          notFound={isFiltered(search) && NOT_FOUND}
          empty={[
            'No animals yet',
            'Animals that you add or import, and those that partners add with their API keys, appear here.',
          ]}
        />
      )}
      {editing?.member === 'status' && (
        <StatusMenu animal={rows.find(({ id }) => id === editing.id)} onChoose={setStatus} onStop={stop} />
      )}
      {opened && (
        <AnimalDrawer
          id={opened}
          row={rows.find(({ id }) => String(id) === opened)}
          isBeside={isBeside}
          entered={entered}
          steps={steps}
          correct={correct}
          onClose={close}
        />
      )}
      {leaving && (
        <DeleteAnimalDialog
          animal={leaving}
          onClose={() => setLeaving(undefined)}
          onDeleted={() => selection.drop(String(leaving.id))}
        />
      )}
    </>
  )
}
