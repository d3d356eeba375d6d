import { useState } from 'react'
import { isConflict } from '../../api/call.ts'
import type { Pet } from '../../api/schema.ts'
import { useDeleteAnimal } from '../../data/animals.ts'
import { useOfferUndo } from '../../parts/undo.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { sentence } from '../../ui/sentence.ts'
import { drafts } from './drafts.ts'

interface DeleteAnimalDialogProps {
  animal: Pet
  onClose(): void
  onDeleted(): void
}

/** Asks once, then deletes immediately. */
export function DeleteAnimalDialog({ animal: shown, onClose, onDeleted }: DeleteAnimalDialogProps) {
  // A version that the operator has not seen must not be deleted.
  const [animal] = useState(shown)
  const { mutateAsync } = useDeleteAnimal()
  const offerUndo = useOfferUndo()
  async function confirm() {
    const { entryId } = await mutateAsync(animal).catch(error => {
      throw isConflict(error) ? new Error(CONFLICT, { cause: error }) : error
    })
    drafts.delete(animal.id)
    onDeleted()
    offerUndo(sentence`${animal.name} was deleted`, entryId)
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={sentence`Delete “${animal.name}”?`}
      action="Delete animal"
      onConfirm={confirm}
    >
      Partners stop getting it immediately. No other animal gets the number {String(animal.id)}. If it has found a home,
      set its status to Sold instead.
    </ConfirmDialog>
  )
}

const CONFLICT = 'It was not deleted, because someone else has changed it. Check it before you delete it.'
