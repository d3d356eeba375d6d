import { useBlocker } from '@tanstack/react-router'
import { lazyChunk } from '../data/lazy-chunks.tsx'
import { hasUnsaved } from '../lib/unsaved.ts'

const DiscardDialog = lazyChunk(() => import('../ui/DiscardDialog.tsx'), 'DiscardDialog')

/** Protects unsaved input from links, the browser's back button, and closing the tab. */
export function LeaveGuard() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => hasUnsaved('screen'),
    enableBeforeUnload: () => hasUnsaved('tab'),
    withResolver: true,
  })
  return status === 'blocked' && <DiscardDialog by="leaving" onKeep={reset} onDiscard={proceed} />
}
