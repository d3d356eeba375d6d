import { useBlocker } from '@tanstack/react-router'
import { lazyOverlay } from '../data/lazy-overlay.tsx'
import { hasUnsaved } from '../lib/unsaved.ts'

const DiscardDialog = lazyOverlay(() => import('../ui/DiscardDialog.tsx'), 'DiscardDialog')

/** Protects unsaved input from links, the browser's back button, and closing the tab. */
export function LeaveGuard() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => hasUnsaved('screen'),
    enableBeforeUnload: () => hasUnsaved('tab'),
    withResolver: true,
  })
  return status === 'blocked' && <DiscardDialog by="leaving" onKeep={reset} onDiscard={proceed} />
}
