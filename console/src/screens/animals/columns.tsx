import { useMutation } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import type { Pet } from '../../api/schema.ts'
import type { Correction } from '../../data/animals.ts'
import { watchUnsaved } from '../../lib/leaving.ts'
import { isOwnMove } from '../../lib/own-move.ts'
import { useIsGone } from '../../lib/use-is-gone.ts'
import type { Column } from '../../parts/DataTable.tsx'
import { StatusBadge } from '../../parts/statuses.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { type Correct, reportUnchanged } from './use-correction.ts'

/** The correction in progress in the table. */
export interface Editing {
  id: bigint
  member: 'name' | 'status'
}

interface CellContext {
  editing: Editing | undefined
  /** Corrections that the service has not answered yet. */
  unanswered: readonly Correction[]
  correct: Correct
  onEdit(editing: Editing): void
  onStop(animal: Pet): void
}

export function columnsOf(context: CellContext): Column<Pet>[] {
  return [
    NUMBER_COLUMN,
    { name: 'Name', onPhone: 'title', cell: animal => <NameCell animal={animal} {...context} /> },
    { name: 'Category', width: '28%', onPhone: 'labelled', cell: animal => <CategoryCell {...animal} /> },
    { name: 'Status', width: '8.5rem', cell: animal => <StatusCell animal={animal} {...context} /> },
  ]
}

export const NUMBER_COLUMN: Column<{ id: bigint }> = {
  name: 'Number',
  width: '5rem',
  isNumber: true,
  onPhone: 'labelled',
  cell: ({ id }) => <span className="muted">{String(id)}</span>,
}

function NameCell({ animal, editing, correct, onEdit, onStop }: CellContext & { animal: Pet }) {
  if (editing?.id === animal.id && editing.member === 'name') {
    return <NameEditor animal={animal} correct={correct} onStop={() => onStop(animal)} />
  }
  return (
    <span className="name-cell">
      <bdi className="name-text one-line" title={animal.name}>
        {animal.name}
      </bdi>
      <button
        type="button"
        tabIndex={-1}
        className="edit-button name-edit"
        aria-label={`Correct the name of ${animal.name}`}
        title="Correct the name (E)"
        onClick={() => onEdit({ id: animal.id, member: 'name' })}
      >
        <Icon name="edit" />
      </button>
    </span>
  )
}

export function CategoryCell({ categoryId, categoryLabel }: Pick<Pet, 'categoryId' | 'categoryLabel'>) {
  if (categoryLabel === null) return <span className="muted">{String(categoryId)}</span>
  return <bdi title={categoryLabel}>{categoryLabel}</bdi>
}

function StatusCell({ animal, unanswered, onEdit }: CellContext & { animal: Pet }) {
  const wanted = unanswered.find(correction => correction.animal.id === animal.id)?.change.status
  return (
    <button
      type="button"
      tabIndex={-1}
      className="edit-button status-edit"
      data-status-of={String(animal.id)}
      aria-busy={wanted !== undefined}
      aria-label={`${animal.status}: change the status of ${animal.name}`}
      title="Change the status (S)"
      onClick={() => onEdit({ id: animal.id, member: 'status' })}
    >
      <StatusBadge status={wanted ?? animal.status} />
      <Icon name="chevron" />
    </button>
  )
}

/** Edits a name inline: Enter saves, and so does leaving the field by hand. Esc cancels. */
function NameEditor({ animal: shown, correct, onStop }: { animal: Pet; correct: Correct; onStop(): void }) {
  // The version at the start: a change by someone else in the meantime must not be overwritten.
  const [animal] = useState(shown)
  const [name, setName] = useState(animal.name)
  const isOver = useIsGone()
  const saving = useMutation({
    mutationFn: () => correct({ animal, change: { name } }),
    onSuccess: outcome => outcome && stop(),
    onError: error => isOver.current && reportUnchanged(animal, error),
  })
  const { error, isPending: isBusy } = saving
  const isUnsaved = useEffectEvent(() => name !== animal.name && !isBusy)
  useEffect(() => watchUnsaved({ isThere: () => isUnsaved(), isKept: false }), [])

  function save() {
    if (isOver.current || isBusy) return
    if (name === animal.name) stop()
    else saving.mutate()
  }

  function stop() {
    // It may already have been closed, by editing another name.
    if (isOver.current) return
    isOver.current = true
    onStop()
  }

  return (
    <span className="name-editor">
      <input
        className="input"
        dir="auto"
        aria-label={`Name of ${animal.name}`}
        aria-invalid={error !== null}
        aria-describedby={error ? 'name-editor-error' : undefined}
        aria-busy={isBusy}
        readOnly={isBusy}
        value={name}
        // biome-ignore lint/a11y/noAutofocus: the operator has just asked to correct this name
        autoFocus
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setName(target.value)}
        onBlur={() => isOwnMove() && !error && save()}
        onKeyDown={event => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') save()
          if (event.key === 'Escape') stop()
        }}
      />
      {error && (
        <span className="name-editor-error" id="name-editor-error" role="alert">
          {error.message}
        </span>
      )}
    </span>
  )
}
