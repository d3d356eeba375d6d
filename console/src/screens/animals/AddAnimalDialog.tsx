import { useRouter } from '@tanstack/react-router'
import { useForm } from 'react-hook-form'
import { useAddAnimal } from '../../data/animals.ts'
import { useOpened } from '../../lib/search.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { sentence } from '../../ui/sentence.ts'
import { addToast } from '../../ui/toasts.ts'
import { AnimalFields, type AnimalValues, changeOf } from './AnimalFields.tsx'
import { useAnimalsSearch } from './search.ts'

export function AddAnimalDialog({ onClose }: { onClose(): void }) {
  const [search] = useAnimalsSearch()
  const { open } = useOpened('open')
  const router = useRouter()
  const form = useForm<AnimalValues>({
    defaultValues: { name: '', categoryId: search.category ?? '', status: 'available', isOther: false },
  })
  const add = useAddAnimal()
  async function save(values: AnimalValues) {
    const { id, name } = await add.mutateAsync(changeOf(values))
    addToast({ title: sentence`${name} was added`, actionProps: { children: 'Open', onClick: () => show(String(id)) } })
  }
  /** The message outlives the screen. */
  function show(id: string) {
    if (router.state.location.pathname === '/animals') open(id)
    else void router.navigate({ to: '/animals', search: { open: id } })
  }
  return (
    <FormDialog title="Add an animal" action="Add animal" form={form} onSave={save} onClose={onClose}>
      <AnimalFields />
    </FormDialog>
  )
}
