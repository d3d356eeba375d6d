import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { hasUnsaved } from '../lib/unsaved.ts'

const DiscardDialog = lazy(async () => ({ default: (await import('../ui/DiscardDialog.tsx')).DiscardDialog }))

/** Nothing that was entered is lost by a link, by the browser's back button, or by closing the tab. */
export function LeaveGuard() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: wouldLose,
    enableBeforeUnload: () => hasUnsaved('tab'),
    withResolver: true,
  })
  return (
    <Suspense>{status === 'blocked' && <DiscardDialog by="leaving" onKeep={reset} onDiscard={proceed} />}</Suspense>
  )
}

/** A form that was saved closes and leads on in one step: it has this long to be gone. */
const CLOSING_MS = 50

async function wouldLose(): Promise<boolean> {
  if (!hasUnsaved('screen')) return false
  await new Promise(resolve => setTimeout(resolve, CLOSING_MS))
  return hasUnsaved('screen')
}
