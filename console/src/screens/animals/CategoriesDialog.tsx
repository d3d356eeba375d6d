import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { CategoryUse } from '../../api/schema.ts'
import { categoriesQuery, useLabelCategory } from '../../data/categories.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { Loading } from '../../parts/Loading.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'

export function CategoriesDialog({ onClose }: { onClose(): void }) {
  const { data, error } = useQuery(categoriesQuery)
  /** Names that are being typed, by category. */
  const [drafts, setDrafts] = useState<Readonly<Record<string, string | undefined>>>({})
  return (
    <Dialog
      onClose={onClose}
      hasChanges={data?.some(({ id, label }) => isChanged(label, drafts[String(id)])) ?? false}
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
              <CategoryLabel
                {...category}
                draft={drafts[String(category.id)]}
                onDraft={draft => setDrafts(others => ({ ...others, [String(category.id)]: draft }))}
              />
            </li>
          ))}
      </ul>
    </Dialog>
  )
}

function isChanged(label: string | null, draft: string | undefined): boolean {
  return draft !== undefined && draft.trim() !== (label ?? '')
}

interface CategoryLabelProps extends CategoryUse {
  /** Undefined if the name was not changed. */
  draft: string | undefined
  onDraft(draft: string | undefined): void
}

/** Enter saves; an empty name removes the name. */
function CategoryLabel({ id, label, animals, draft, onDraft }: CategoryLabelProps) {
  const { mutate, error, isPending } = useLabelCategory()
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (draft === undefined || !isChanged(label, draft)) return
    mutate({ id, label: draft.trim() }, { onSuccess: () => onDraft(undefined) })
  }
  return (
    <form className="category" onSubmit={save}>
      <Field
        label={`Category ${id}`}
        hint={formatCounted(animals, 'animal')}
        placeholder="No name"
        value={draft ?? label ?? ''}
        error={error?.message}
        readOnly={isPending}
        onChange={({ target }) => onDraft(target.value)}
        onKeyDown={event => {
          if (event.key !== 'Escape' || !isChanged(label, draft)) return
          event.stopPropagation()
          onDraft(undefined)
        }}
      />
      <Button
        type="submit"
        isBusy={isPending}
        disabled={!isChanged(label, draft)}
        aria-label={`Save the name of category ${id}`}
      >
        Save
      </Button>
    </form>
  )
}
