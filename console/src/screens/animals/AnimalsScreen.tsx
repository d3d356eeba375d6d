import { useState } from 'react'
import { Screen } from '../../parts/Screen.tsx'
import { useAction } from '../../shortcuts/actions.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { AddAnimalDialog } from './AddAnimalDialog.tsx'
import { AnimalDrawer } from './AnimalDrawer.tsx'
import { AnimalsTable } from './AnimalsTable.tsx'
import { CategoriesDialog } from './CategoriesDialog.tsx'
import { ConflictDialog } from './ConflictDialog.tsx'
import { useAnimalsSearch } from './search.ts'
import { useCorrection } from './use-correction.ts'
import './animals.css'

/** All animals: finding, adding, correcting and deleting them. */
export function AnimalsScreen() {
  const { search, change } = useAnimalsSearch()
  const [dialog, setDialog] = useState<'add' | 'categories'>()
  const { correct, conflict, ...decisions } = useCorrection()
  const close = () => setDialog(undefined)
  useAction('addAnimal', () => setDialog('add'))
  return (
    <Screen
      title="Animals"
      description="Find an animal by its name or number, and correct it where it stands."
      isFixed
      actions={
        <>
          <Button onClick={() => setDialog('categories')}>
            <Icon name="tag" />
            Categories
          </Button>
          <Button kind="primary" onClick={() => setDialog('add')}>
            <Icon name="plus" />
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
