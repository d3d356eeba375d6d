import { useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/errors.ts'
import { useTitle } from '../lib/use-title.ts'
import { Button } from '../ui/Button.tsx'
import './message.css'

/** Shown if the service did not say who is signed in. */
export function Unavailable({ error }: { error: Error }) {
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
