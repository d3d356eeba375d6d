import { Outlet } from '@tanstack/react-router'
import { useDeferredValue, useEffect } from 'react'
import { useChanges } from '../data/events.ts'
import { takeNotice } from '../lib/start-fresh.ts'
import { Toasts, toasts } from '../ui/toasts.tsx'
import { Connection } from './Connection.tsx'
import { Frame } from './Frame.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'

/** What every screen has around it. */
export function SignedIn() {
  useChanges()
  // The frame is shown first, so that the page can react before the screen is complete.
  const hasScreen = useDeferredValue(true, false)
  useEffect(() => {
    const notice = takeNotice()
    if (notice) toasts.add({ title: notice })
  }, [])
  return (
    <>
      <Frame>{hasScreen && <Outlet />}</Frame>
      <Connection />
      <Toasts />
      <LeaveGuard />
    </>
  )
}
