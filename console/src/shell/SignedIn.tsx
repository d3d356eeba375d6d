import { Outlet } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useState } from 'react'
import { useChanges } from '../data/events.ts'
import { lazyChunk } from '../data/lazy-chunks.tsx'
import { takeNotice } from '../lib/start-fresh.ts'
import { whenIdle } from '../lib/when-idle.ts'
import { toasts } from '../ui/toasts.ts'
import { Connection } from './Connection.tsx'
import { Frame } from './Frame.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'

const ToastList = lazyChunk(() => import('../ui/ToastList.tsx'), 'ToastList')

/** Everything around a screen. */
export function SignedIn() {
  useChanges()
  // The frame is shown first, so that the page responds before the screen is complete.
  const hasScreen = useDeferredValue(true, false)
  const [hasToasts, setHasToasts] = useState(false)
  useEffect(() => whenIdle(() => setHasToasts(true)), [])
  useEffect(() => {
    const notice = takeNotice()
    if (notice) toasts.add({ title: notice })
  }, [])
  return (
    <>
      <Frame>{hasScreen && <Outlet />}</Frame>
      <Connection />
      {hasToasts && <ToastList />}
      <LeaveGuard />
    </>
  )
}
