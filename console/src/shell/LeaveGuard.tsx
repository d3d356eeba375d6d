import { useBlocker } from '@tanstack/react-router'
import { lazyPart } from '../data/parts.tsx'
import { hasUnsaved } from '../lib/unsaved.ts'

const DiscardDialog = lazyPart(() => import('../ui/DiscardDialog.tsx'), 'DiscardDialog')

/** Protects unsaved input from links, the browser's back button, and closing the tab. */
export function LeaveGuard() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => hasUnsaved('screen'),
    enableBeforeUnload: () => hasUnsaved('tab'),
    withResolver: true,
  })
  return status === 'blocked' && <DiscardDialog by="leaving" onKeep={reset} onDiscard={proceed} />
}
