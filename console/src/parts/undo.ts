import type { ReactNode } from 'react'
import type { AuditAction } from '../api/schema.ts'
import { findEntry, useUndoEntry } from '../data/undo.ts'
import { formatCounted } from '../lib/numbers.ts'
import { addToast } from '../ui/toasts.ts'

/** How long a message that something is done offers to undo it. */
const OFFERED_MS = 60_000

/** Undoes an entry of the audit log, and reports it. */
export function useUndo() {
  const { mutateAsync } = useUndoEntry()
  return async (entryId: bigint) => {
    const { undone, kept } = await mutateAsync(entryId)
    const description = kept > 0 && `Not for ${formatCounted(kept, 'animal')}, because of later changes.`
    addToast({ title: `Undone for ${formatCounted(undone, 'animal')}`, description })
  }
}

/** Undoes what has just been done to animals; `petId` is one of them. */
export function useUndoLatest() {
  const undo = useUndo()
  return async (petId: bigint, action: AuditAction) => {
    try {
      const entryId = await findEntry(petId, action)
      if (entryId !== undefined) await undo(entryId)
    } catch (error) {
      addToast({ title: 'It was not undone', description: (error as Error).message, type: 'danger' })
    }
  }
}

/** Reports what has been done to animals, and offers to undo it. */
export function useOfferUndo() {
  const undo = useUndoLatest()
  return (title: ReactNode, petId: bigint, action: AuditAction) => {
    addToast({
      title,
      timeout: OFFERED_MS,
      actionProps: { children: 'Undo', onClick: () => void undo(petId, action) },
    })
  }
}
