import { useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/call.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/states.tsx'
import { ClearButton } from './ClearButton.tsx'

/** Shown instead of the rows of a list, or of a record, that could not be loaded. */
export function ListError({ error, onClear }: { error: Error; onClear?: (() => void) | undefined }) {
  const client = useQueryClient()
  const isFilter = onClear && error instanceof ApiError && (error.status === 400 || error.status === 404)
  const tryAgain = () => client.refetchQueries({ predicate: ({ state }) => state.status === 'error' })
  return (
    <EmptyState
      title={isFilter ? 'Nothing matches these filters' : 'This could not be loaded'}
      action={isFilter ? <ClearButton onClear={onClear} /> : <Button onClick={tryAgain}>Try again</Button>}
    >
      {error.message}
    </EmptyState>
  )
}
