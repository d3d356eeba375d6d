import type { ReactNode } from 'react'
import { describeLabels } from '../../../src/domain/undone-label.ts'
import { isUndecided } from '../api/call.ts'
import { useUndoEntry } from '../data/undo.ts'
import { formatCounted } from '../lib/numbers.ts'
import { addFailure, addToast } from '../ui/toasts.ts'

/** How long a message that something is done offers to undo it. */
const OFFERED_MS = 60_000

export function useUndo() {
  const { mutateAsync } = useUndoEntry()
  return async (entryId: bigint) => {
    const { undone, kept, labels } = await mutateAsync(entryId)
    const notUndone = kept > 0 ? [`Not for ${formatCounted(kept, 'animal')}, because of later changes.`] : []
    const description = [...notUndone, ...describeLabels(labels)].join(' ')
    addToast({ title: `Undone for ${formatCounted(undone, 'animal')}`, description })
  }
}

/** Undoes at once, without a dialog. Unless the service has refused it, it can be tried again. */
export function useUndoNow() {
  const undo = useUndo()
  return async function undoNow(entryId: bigint): Promise<void> {
    try {
      await undo(entryId)
    } catch (error) {
      const again = {
        timeout: OFFERED_MS,
        actionProps: { children: 'Try again', onClick: () => void undoNow(entryId) },
      }
      addFailure('It was not undone', error as Error, isUndecided(error) ? again : {})
    }
  }
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
