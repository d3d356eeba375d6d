import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApiError } from '../api/errors.ts'
import { lazyChunk } from '../data/lazy-chunks.tsx'
import { SessionProvider, sessionQuery, useOtherTabs } from '../data/session.ts'
import { wasSignedIn } from '../data/signed-in-mark.ts'
import { useTheme } from '../lib/use-theme.ts'
import { whenIdle } from '../lib/when-idle.ts'
import { SignInScreen } from '../screens/sign-in/SignInScreen.tsx'
import { MissingPart } from './MissingPart.tsx'
import { SessionEnded } from './SessionEnded.tsx'
import { Unavailable } from './Unavailable.tsx'

const Console = lazyChunk(() => import('./Console.tsx'), 'Console')

/** Everything is behind the sign-in. The URL stays, so that the operator is back on the same screen after signing in. */
export function App() {
  useTheme()
  useOtherTabs()
  // The screens are loaded by the time someone signs in, without delaying the form.
  useEffect(() => (wasSignedIn() ? Console.preload() : whenIdle(Console.preload)), [])
  return (
    <>
      <Content />
      <MissingPart />
    </>
  )
}

function Content() {
  const { data: session, error, isPending } = useQuery(sessionQuery)
  if (isPending) return null
  if (!session) {
    if (!error) return <SignInScreen />
    const isRefused = error instanceof ApiError && error.status === 401
    return isRefused ? <SignInScreen refusal={error.message} /> : <Unavailable error={error} />
  }
  return (
    <SessionProvider value={session}>
      <Console />
      {session.hasEnded && <SessionEnded name={session.operator.name} />}
    </SessionProvider>
  )
}
