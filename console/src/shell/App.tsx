import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect } from 'react'
import { ApiError } from '../api/call.ts'
import { lazyChunk, useIsChunkMissing } from '../data/lazy-chunks.tsx'
import { isSignedOut, SessionProvider, sessionQuery, useOtherTabs } from '../data/session.ts'
import { wasSignedIn } from '../data/signed-in.ts'
import { useTheme } from '../lib/use-preferences.ts'
import { useTitle } from '../lib/use-title.ts'
import { whenIdle } from '../lib/when-idle.ts'
import { SessionEnded, SignInScreen } from '../screens/sign-in/SignInScreen.tsx'
import { Button } from '../ui/Button.tsx'
import { firstFrame } from './first-frame.ts'
import './banner.css'
import './message.css'

const Console = lazyChunk(() => import('../routes.tsx'), 'Console', FirstFrame)

/** Everything is behind the sign-in. The URL stays, so that the operator is back on the same screen after signing in. */
export function App() {
  useTheme()
  useOtherTabs()
  // The screens are loaded by the time someone signs in, without delaying the form.
  useEffect(() => (wasSignedIn() ? Console.preload() : whenIdle(Console.preload)), [])
  return (
    <>
      <MissingPart />
      <Content />
    </>
  )
}

function Content() {
  const { data: session, error, isPending } = useQuery(sessionQuery)
  if (isPending) return <FirstFrame />
  if (!session) {
    if (!error) return <SignInScreen />
    return isSignedOut(error) ? <SignInScreen refusal={error.message} /> : <Unavailable error={error} />
  }
  return (
    <SessionProvider value={session}>
      <Console />
      {session.hasEnded && <SessionEnded name={session.operator.name} />}
    </SessionProvider>
  )
}

/** Keeps the frame that `main.ts` has shown. */
function FirstFrame() {
  useLayoutEffect(() => {
    document.body.prepend(firstFrame)
    return () => firstFrame.remove()
  }, [])
  return null
}

/** Offers to reload the page, which asks first if there are unsaved changes. */
function MissingPart() {
  const isMissing = useIsChunkMissing()
  return (
    <div className="banner" role="status">
      {isMissing && (
        <p>
          <strong>Petstore has been updated.</strong> To continue, reload this page. What you have entered stays here
          until then. <Button onClick={() => location.reload()}>Reload</Button>
        </p>
      )}
    </div>
  )
}

/** Shown if the service did not say who is signed in. */
function Unavailable({ error }: { error: Error }) {
  useTitle('Petstore cannot be reached')
  const client = useQueryClient()
  return (
    <main className="message">
      <h1>Petstore cannot be reached</h1>
      <p>
        {error instanceof ApiError
          ? error.message
          : 'This page retries automatically, and opens as soon as Petstore responds.'}
      </p>
      <Button kind="primary" onClick={() => client.invalidateQueries()}>
        Try again
      </Button>
    </main>
  )
}
