import { useForm } from 'react-hook-form'
import { useAddAnimal } from '../../data/animals.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { sentence } from '../../ui/sentence.ts'
import { addToast } from '../../ui/toasts.ts'
import { ANIMAL_FORM, AnimalForm, type AnimalValues, changeOf } from './AnimalForm.tsx'
import { useAnimalsSearch } from './search.ts'

export function AddAnimalDialog({ onClose }: { onClose(): void }) {
  const { search, change } = useAnimalsSearch()
  const form = useForm<AnimalValues>({
    defaultValues: { name: '', categoryId: search.category ?? '', status: 'available' },
  })
  const add = useAddAnimal()
  return (
    <Dialog
      onClose={onClose}
      hasChanges={form.formState.isDirty}
      title="Add an animal"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={ANIMAL_FORM} isBusy={add.isPending}>
            Add animal
          </Button>
        </>
      }
    >
      <AnimalForm
        form={form}
        onSave={async values => {
          const added = await add.mutateAsync(changeOf(values))
          onClose()
          addToast({
            title: sentence`${added.name} was added`,
            actionProps: { children: 'Open', onClick: () => change({ open: String(added.id) }) },
          })
        }}
      />
    </Dialog>
  )
}
