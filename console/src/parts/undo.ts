import type { ReactNode } from 'react'
import { useUndoEntry } from '../data/undo.ts'
import { formatCounted } from '../lib/numbers.ts'
import { addToast } from '../ui/toasts.ts'

/** How long a message that something is done offers to undo it. */
const OFFERED_MS = 60_000

/** Undoes an entry of the audit log, and reports it. */
export function useUndo() {
  const { mutateAsync } = useUndoEntry()
  return async (entryId: bigint) => {
    const { undone, kept, labels } = await mutateAsync(entryId)
    const texts = kept > 0 ? [`Not for ${formatCounted(kept, 'animal')}, because of later changes.`] : []
    // Few actions have labels.
    if (labels.length > 0) texts.push(...(await import('../../../src/domain/undone-label.ts')).describeLabels(labels))
    addToast({ title: `Undone for ${formatCounted(undone, 'animal')}`, description: texts.join(' ') })
  }
}

/** Undoes at once, outside of a dialog, which would show the error. */
export function useUndoNow() {
  const undo = useUndo()
  return (entryId: bigint) =>
    undo(entryId).catch((error: Error) => {
      addToast({ title: 'It was not undone', description: error.message, type: 'danger' })
    })
}

/** Reports an action on animals, and offers to undo its entry if it has one. */
export function useOfferUndo() {
  const undo = useUndoNow()
  return (title: ReactNode, entryId: bigint | null | undefined) => {
    if (entryId == null) return addToast({ title })
    const actionProps = { children: 'Undo', onClick: () => void undo(entryId) }
    addToast({ title, timeout: OFFERED_MS, actionProps })
  }
}
