import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { Outlet, useBlocker } from '@tanstack/react-router'
import { type ComponentProps, useDeferredValue, useEffect, useState } from 'react'
import { useConnection } from '../data/connection.ts'
import { useChanges } from '../data/events.ts'
import { lazyChunk, lazyOverlay, loadRest } from '../data/lazy-chunks.tsx'
import { hasUnsaved, takeNotice } from '../lib/leaving.ts'
import { pastedSecret } from '../lib/secrets.ts'
import { formatClock } from '../lib/time.ts'
import { useZone } from '../lib/use-preferences.ts'
import { whenIdle } from '../lib/when-idle.ts'
import { addToast } from '../ui/toasts.ts'
import { Frame } from './Frame.tsx'
import { askingToSignOut, useSignOut } from './use-sign-out.ts'
import '../lib/lost-focus.ts'
import './banner.css'

const Warnings = lazyChunk(() => import('./Warnings.tsx'), 'Warnings')
const ToastList = lazyChunk(() => import('../ui/ToastList.tsx'), 'ToastList')

export function SignedIn() {
  useChanges()
  // The frame is shown first, so that the page responds before the screen is complete.
  const hasScreen = useDeferredValue(true, false)
  const [isIdle, setIsIdle] = useState(false)
  useEffect(() => whenIdle(() => setIsIdle(true)), [])
  useEffect(() => {
    const notice = takeNotice()
    if (notice) addToast({ title: notice })
  }, [])
  return (
    <>
      <Frame
        warning={
          <>
            <Connection />
            {isIdle && <Warnings />}
          </>
        }
      >
        {hasScreen && <Outlet />}
      </Frame>
      {isIdle && <ToastList />}
      <PastedSecret />
      <Rest />
      <LeaveGuard />
      <SignOutGuard />
    </>
  )
}

/** Loads the rest of the console once the first screen has its data. */
function Rest() {
  const client = useQueryClient()
  const isBusy = useIsFetching() > 0
  useEffect(() => {
    if (!isBusy) whenIdle(() => client.isFetching() === 0 && void loadRest())
  }, [client, isBusy])
  return null
}

const WhoseDialog = lazyOverlay(() => import('../parts/keys/WhoseDialog.tsx'), 'WhoseDialog')

/** Asks whose a secret is that was pasted into a search or a filter. */
function PastedSecret() {
  const text = pastedSecret.use()
  return text !== undefined && <WhoseDialog text={text} onClose={() => pastedSecret.set(undefined)} />
}

/** Shown while the service cannot be reached. */
function Connection() {
  const { isLost, lastAnswer } = useConnection()
  const [zone] = useZone()
  return (
    <div className="banner" role="status">
      {isLost && (
        <p>
          <strong>{navigator.onLine ? 'Petstore cannot be reached.' : 'This device is offline.'}</strong> Trying again …
          {lastAnswer && ` Last response at ${formatClock(lastAnswer, zone)}.`}
        </p>
      )}
    </div>
  )
}

const ConfirmDialog = lazyOverlay(() => import('../ui/ConfirmDialog.tsx'), 'ConfirmDialog')

/** Protects unsaved input, and secrets that are shown only once, from links, the browser's back button, and closing the tab. */
function LeaveGuard() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => hasUnsaved('screen'),
    enableBeforeUnload: () => hasUnsaved('tab'),
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return <LossDialog title="Leave this screen?" action="Leave" onClose={reset} onConfirm={async () => proceed()} />
}

/** Protects the same from signing out. */
function SignOutGuard() {
  const isAsking = askingToSignOut.use()
  const { mutate } = useSignOut()
  const stay = () => askingToSignOut.set(false)
  if (!isAsking) return null
  return <LossDialog title="Sign out?" action="Sign out" onClose={stay} onConfirm={async () => mutate()} />
}

function LossDialog(props: Pick<ComponentProps<typeof ConfirmDialog>, 'title' | 'action' | 'onClose' | 'onConfirm'>) {
  return (
    <ConfirmDialog {...props} cancel="Stay" hasShortcut={false}>
      Anything you have not saved or stored yet will be lost.
    </ConfirmDialog>
  )
}
