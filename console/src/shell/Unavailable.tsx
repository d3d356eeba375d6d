import { useQueryClient } from '@tanstack/react-query'
import { Button } from '../ui/Button.tsx'
import './message.css'

/** The service did not say who is signed in. */
export function Unavailable({ error }: { error: Error }) {
  const client = useQueryClient()
  return (
    <main className="message">
      <h1>Petstore does not answer</h1>
      <p>{error.message}</p>
      <Button kind="primary" onClick={() => client.invalidateQueries()}>
        Try again
      </Button>
    </main>
  )
}
