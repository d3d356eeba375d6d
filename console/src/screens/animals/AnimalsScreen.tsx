import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ExportButton } from '../../parts/ExportButton.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { useAction } from '../../shortcuts/shortcuts.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { AnimalsTable } from './AnimalsTable.tsx'
import { AddAnimalDialog, AnimalDrawer, CategoriesDialog, ConflictDialog, usePreloadedDialogs } from './dialogs.ts'
import { filterOf, useAnimalsSearch } from './search.ts'
import { useCorrection } from './use-correction.ts'
import './animals.css'

/** All animals: finding, adding, correcting and deleting them. */
export function AnimalsScreen() {
  const { search, change } = useAnimalsSearch()
  const [dialog, setDialog] = useState<'add' | 'categories'>()
  const { correct, conflict, ...decisions } = useCorrection()
  const filter = filterOf(search)
  const close = () => setDialog(undefined)
  usePreloadedDialogs()
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
          {filter.id === undefined && <ExportButton filter={filter} />}
          <Button icon="plus" kind="primary" onClick={() => setDialog('add')}>
            Add animal
          </Button>
        </>
      }
    >
      <AnimalsTable correct={correct} onAdd={() => setDialog('add')} />
      {search.open && (
        <AnimalDrawer
          key={search.open}
          id={search.open}
          correct={correct}
          onClose={() => change({ open: undefined })}
        />
      )}
      {dialog === 'add' && <AddAnimalDialog onClose={close} />}
      {dialog === 'categories' && <CategoriesDialog onClose={close} />}
      {conflict && <ConflictDialog conflict={conflict} {...decisions} />}
    </Screen>
  )
}
