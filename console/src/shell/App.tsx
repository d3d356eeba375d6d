import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError } from '../api/errors.ts'
import { useChanges } from '../data/events.ts'
import { SessionProvider, sessionQuery, useOtherTabs } from '../data/session.ts'
import { takeNotice } from '../lib/start-fresh.ts'
import { useTheme } from '../lib/use-theme.ts'
import { SignInScreen } from '../screens/sign-in/SignInScreen.tsx'
import { Toasts, toasts } from '../ui/toasts.tsx'
import { Connection } from './Connection.tsx'
import { Frame } from './Frame.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'
import { SessionEnded } from './SessionEnded.tsx'
import { Unavailable } from './Unavailable.tsx'

/** Everything is behind the sign-in. The address stays, so that signing in leads to where the operator was. */
export function App() {
  useTheme()
  useOtherTabs()
  const { data: session, error, isPending } = useQuery(sessionQuery)
  if (isPending) return null
  if (!session) {
    if (!error) return <SignInScreen />
    const isRefused = error instanceof ApiError && error.status === 401
    return isRefused ? <SignInScreen refusal={error.message} /> : <Unavailable error={error} />
  }
  return (
    <SessionProvider value={session}>
      <SignedIn />
      {session.hasEnded && <SessionEnded name={session.operator.name} />}
    </SessionProvider>
  )
}

function SignedIn() {
  useChanges()
  useEffect(() => {
    const notice = takeNotice()
    if (notice) toasts.add({ title: notice })
  }, [])
  return (
    <>
      <Frame>
        <Outlet />
      </Frame>
      <Connection />
      <Toasts />
      <LeaveGuard />
    </>
  )
}
