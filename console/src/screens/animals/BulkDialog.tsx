import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isConflict } from '../../api/call.ts'
import type { Pet, PetPreview, PetStatus } from '../../api/schema.ts'
import { type AnimalChange, previewQuery, type Selected, useBulkAction } from '../../data/animals.ts'
import { categoryName, categoryOptionsQuery, useCategoryName } from '../../data/categories.ts'
import { formatCount, formatCounted } from '../../lib/numbers.ts'
import { Change } from '../../parts/animal-changes.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { STATUSES, StatusBadge, statusName } from '../../parts/statuses.tsx'
import { useOfferUndo } from '../../parts/undo.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Select } from '../../ui/Field.tsx'
import { Notice } from '../../ui/states.tsx'

interface BulkDialogProps {
  kind: 'correct' | 'delete'
  selected: Selected
  onClose(): void
  onDone(): void
}

/** Changes or deletes many animals, after a preview of them. */
export function BulkDialog({ kind, selected, onClose, onDone }: BulkDialogProps) {
  const [left, setLeft] = useState(selected)
  const { data: preview, error, refetch } = useQuery(previewQuery(left))
  const { data: categories = [] } = useQuery(categoryOptionsQuery)
  const [status, setStatus] = useState('')
  const [category, setCategory] = useState('')
  const { mutateAsync } = useBulkAction()
  const offerUndo = useOfferUndo()
  const isDeletion = kind === 'delete'
  const change: AnimalChange = {
    ...(status && { status: status as PetStatus }),
    ...(category && { categoryId: BigInt(category) }),
  }
  const count = preview && formatCounted(preview.count, 'animal')
  const isChosen = status !== '' || category !== ''

  async function run() {
    if (!preview?.version) return
    const wanted = { selected: left, version: preview.version, change: isDeletion ? undefined : change }
    const { count, entryId } = await mutateAsync(wanted).catch(refused => {
      if (!isConflict(refused)) throw refused
      void refetch()
      throw new Error(CONFLICT, { cause: refused })
    })
    onDone()
    const done = isDeletion ? 'deleted' : 'changed'
    offerUndo(`${formatCounted(count, 'animal was', 'animals were')} ${done}`, entryId)
  }

  return (
    <ConfirmDialog
      onClose={onClose}
      hasChanges={isChosen}
      title={isDeletion ? 'Delete animals' : 'Change animals'}
      description={isDeletion && 'They can be restored under their old numbers.'}
      action={`${isDeletion ? 'Delete' : 'Change'} ${count ?? 'animals'}`}
      kind={isDeletion ? 'danger' : 'primary'}
      isReady={preview?.version != null && preview.count > 0 && (isDeletion || isChosen)}
      onConfirm={run}
    >
      {!isDeletion && (
        <div className="field-grid">
          <Select label="Status" options={[STAYS, ...STATUSES]} value={status} onChoose={setStatus} />
          <Select label="Category" options={[STAYS, ...categories]} value={category} onChoose={setCategory} />
        </div>
      )}
      {error && <Notice tone="danger">{error.message}</Notice>}
      {!preview && !error && <Loading />}
      {preview && <BulkPreview preview={preview} selected={left} change={change} onLeaveOut={setLeft} />}
    </ConfirmDialog>
  )
}

const CONFLICT =
  'Some of these animals have changed since the preview, so this was not carried out. Review their current state below and try again.'

const STAYS = { value: '', name: 'Leave unchanged' }

interface BulkPreviewProps {
  preview: PetPreview
  selected: Selected
  change?: AnimalChange | undefined
  /** Changes the selection, to leave out animals that no longer exist. */
  onLeaveOut(selected: Selected): void
}

/** The animals that a change would affect, as many as the service shows. */
function BulkPreview({ preview, selected, change = {}, onLeaveOut }: BulkPreviewProps) {
  const { count, sample, version, missingIds } = preview
  const more = count - sample.length
  const missing = new Set(missingIds)
  return (
    <>
      {missingIds.length > 0 && 'ids' in selected && (
        <Notice tone="change">
          <p>
            {formatCounted(missingIds.length, 'selected animal no longer exists', 'selected animals no longer exist')}.
          </p>
          {count > 0 && (
            <Button onClick={() => onLeaveOut({ ids: selected.ids.filter(id => !missing.has(id)) })}>
              Leave them out
            </Button>
          )}
        </Notice>
      )}
      {version === null && missingIds.length === 0 && count > 0 && (
        <Notice tone="change">
          {formatCount(count)} animals are too many for one step. Narrow the filters, for example to one category, and
          change them in parts.
        </Notice>
      )}
      {count > 0 && (
        <section className="preview stack is-close" aria-label="Preview">
          <ul className="box lines">
            {sample.map(animal => (
              <li key={String(animal.id)}>
                <span className="preview-name one-line">
                  <bdi>{animal.name}</bdi>
                </span>
                <Category animal={animal} to={change.categoryId} />
                <Status animal={animal} to={change.status} />
              </li>
            ))}
          </ul>
          {more > 0 && <p className="muted">and {formatCount(more)} more</p>}
        </section>
      )}
    </>
  )
}

function Category({ animal, to }: { animal: Pet; to: AnimalChange['categoryId'] }) {
  const nameOf = useCategoryName()
  const { categoryId, categoryLabel } = animal
  const from = categoryName(categoryId, categoryLabel)
  const isSame = to === undefined || String(to) === String(categoryId)
  return (
    <span className={isSame ? 'muted' : undefined}>
      {isSame ? <bdi>{from}</bdi> : <Change from={from} to={nameOf(to)} />}
    </span>
  )
}

function Status({ animal: { status }, to = status }: { animal: Pet; to: AnimalChange['status'] }) {
  return (
    <span>
      {to !== status && <del>{statusName(status)} → </del>}
      <StatusBadge status={to} />
    </span>
  )
}
