import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isConflict } from '../../api/errors.ts'
import type { PetStatus } from '../../api/schema.ts'
import { type AnimalChange, previewQuery, type Selected, useBulkAction } from '../../data/animals.ts'
import { categoriesQuery, categoryName } from '../../data/categories.ts'
import { formatCount } from '../../lib/numbers.ts'
import { STATUSES } from '../../parts/statuses.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Select } from '../../ui/Select.tsx'
import { toasts } from '../../ui/toasts.ts'
import { BulkPreview } from './BulkPreview.tsx'

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
  const [status, setStatus] = useState('')
  const [category, setCategory] = useState('')
  const action = useBulkAction()
  const change: AnimalChange = {
    ...(status && { status: status as PetStatus }),
    ...(category && { categoryId: BigInt(category) }),
  }
  const count = preview && animals(preview.count)
  const isChosen = status !== '' || category !== ''
  const isReady = preview?.version != null && preview.count > 0 && (kind === 'delete' || isChosen)

  async function run() {
    if (!preview?.version) return
    try {
      const chosen = kind === 'delete' ? { kind } : { kind, change }
      const done = await action.mutateAsync({ selected: left, version: preview.version, action: chosen })
      onClose()
      onDone()
      toasts.add({
        title: `${animals(done)} ${done === 1 ? 'was' : 'were'} ${kind === 'delete' ? 'deleted' : 'changed'}`,
      })
    } catch (refused) {
      // The dialog says so, and shows their current state.
      if (isConflict(refused)) void refetch()
    }
  }

  return (
    <Dialog
      isOpen
      onClose={onClose}
      hasChanges={isChosen}
      title={kind === 'delete' ? 'Delete animals' : 'Change animals'}
      description={kind === 'delete' ? 'This cannot be undone, and their numbers are never used again.' : undefined}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind={kind === 'delete' ? 'danger' : 'primary'}
            isMain
            disabled={!isReady}
            isBusy={action.isPending}
            onClick={run}
          >
            {kind === 'delete' ? 'Delete' : 'Change'} {count ?? 'animals'}
          </Button>
        </>
      }
    >
      {kind === 'correct' && (
        <div className="field-row">
          <Select
            label="Status"
            options={[STAYS, ...STATUSES]}
            value={status}
            onChange={({ target }) => setStatus(target.value)}
          />
          <CategorySelect value={category} onChange={setCategory} />
        </div>
      )}
      {action.error && <Notice tone="danger">{isConflict(action.error) ? CONFLICT : action.error.message}</Notice>}
      {error && <Notice tone="danger">{error.message}</Notice>}
      {preview && <BulkPreview preview={preview} selected={left} change={change} onLeaveOut={setLeft} />}
    </Dialog>
  )
}

const CONFLICT =
  'Some of these animals have changed since the preview, so this was not carried out. Review their current state below and try again.'

const STAYS = { value: '', name: 'Leave unchanged' }

function animals(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'animal' : 'animals'}`
}

function CategorySelect({ value, onChange }: { value: string; onChange(value: string): void }) {
  const { data = [] } = useQuery(categoriesQuery)
  const known = data.map(({ id, label }) => ({ value: String(id), name: categoryName(id, label) }))
  return (
    <Select
      label="Category"
      options={[STAYS, ...known]}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
