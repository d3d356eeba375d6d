import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api/call.ts'
import type { CategoryUse } from '../../api/schema.ts'
import { categoriesQuery, useLabelCategory } from '../../data/categories.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { Loading } from '../../parts/Loading.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'

export function CategoriesDialog({ onClose }: { onClose(): void }) {
  const { data, error } = useQuery(categoriesQuery)
  return (
    <Dialog
      onClose={onClose}
      title="Categories"
      description="Partners see a category as a number. Here, each number can have a name that everyone in the console sees."
      actions={<Button onClick={onClose}>Close</Button>}
    >
      {error && <p className="field-error">{error.message}</p>}
      {!data && !error && <Loading />}
      {data?.length === 0 && <p className="muted">No category is in use yet. Add an animal to create one.</p>}
      <ul className="stack">
        {data
          ?.toSorted((a, b) => Number(a.id - b.id))
          .map(category => (
            <li key={String(category.id)}>
              <CategoryLabel {...category} />
            </li>
          ))}
      </ul>
    </Dialog>
  )
}

/** Enter saves; an empty name removes the name. */
function CategoryLabel({ id, label, animals }: CategoryUse) {
  const [draft, setDraft] = useState(label ?? '')
  const { mutate, error, isPending } = useLabelCategory()
  const isChanged = draft.trim() !== (label ?? '')
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (isChanged) mutate({ id: String(id), label: draft.trim() })
  }
  const message = error instanceof ApiError ? (error.members.get('label') ?? error.message) : error?.message
  return (
    <form className="category" onSubmit={save}>
      <Field
        label={`Category ${id}`}
        hint={formatCounted(animals, 'animal')}
        placeholder="No name"
        value={draft}
        error={message}
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={event => {
          if (event.key !== 'Escape' || !isChanged) return
          event.stopPropagation()
          setDraft(label ?? '')
        }}
      />
      <Button type="submit" isBusy={isPending} disabled={!isChanged} aria-label={`Save the name of category ${id}`}>
        Save
      </Button>
    </form>
  )
}
