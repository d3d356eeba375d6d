import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { ApiError } from '../api/errors.ts'
import { useChanges } from '../data/events.ts'
import { SessionProvider, sessionQuery } from '../data/session.ts'
import { useTheme } from '../lib/use-theme.ts'
import { SignInScreen } from '../screens/sign-in/SignInScreen.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { Frame } from './Frame.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'
import { Unavailable } from './Unavailable.tsx'

/** Everything is behind the sign-in. The address stays, so that signing in leads to where the operator was. */
export function App() {
  useTheme()
  const { data: session, error, isPending } = useQuery(sessionQuery)
  if (isPending) return null
  if (error instanceof ApiError && error.status === 401) return <SignInScreen refusal={error.message} />
  if (error) return <Unavailable error={error} />
  if (!session) return <SignInScreen />
  return (
    <SessionProvider value={session}>
      <SignedIn />
    </SessionProvider>
  )
}

function SignedIn() {
  useChanges()
  return (
    <>
      <Frame>
        <Outlet />
      </Frame>
      <Toasts />
      <LeaveGuard />
    </>
  )
}
