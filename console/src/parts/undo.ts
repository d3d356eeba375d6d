import type { ReactNode } from 'react'
import { useUndoEntry } from '../data/undo.ts'
import { addFailure, addToast } from '../ui/toasts.ts'

/** How long a message that something is done offers to undo it. */
const OFFERED_MS = 60_000

/** Undoes an entry of the audit log, and reports it. */
export function useUndo() {
  const { mutateAsync } = useUndoEntry()
  return async (entryId: bigint) => {
    // Few operators need it. It is loaded first, so that a failure to load it undoes nothing.
    const { reportUndone } = await import('./report-undone.ts')
    reportUndone(await mutateAsync(entryId))
  }
}

/** Undoes at once, without a dialog. */
export function useUndoNow() {
  const undo = useUndo()
  return (entryId: bigint) => undo(entryId).catch(error => addFailure('It was not undone', error))
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
