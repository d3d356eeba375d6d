import { useQueryClient } from '@tanstack/react-query'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useTitle } from '../lib/use-title.ts'
import { Button } from '../ui/Button.tsx'
import './message.css'

/** A screen that failed. The rest of the console works. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  useTitle('This screen cannot be shown')
  const client = useQueryClient()
  const tryAgain = () => {
    // The data may be what cannot be shown.
    client.removeQueries({ type: 'inactive' })
    reset()
  }
  return (
    <section className="message" role="alert">
      <h1>This screen cannot be shown</h1>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      <Button kind="primary" onClick={tryAgain}>
        Try again
      </Button>
    </section>
  )
}
