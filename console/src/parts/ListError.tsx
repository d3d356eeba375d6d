import { useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/call.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/messages.tsx'

/** Shown instead of the rows of a list that could not be loaded. */
export function ListError({ error, onClear }: { error: Error; onClear?: (() => void) | undefined }) {
  const client = useQueryClient()
  const isFilter = error instanceof ApiError && (error.status === 400 || error.status === 404)
  if (isFilter && onClear) {
    return (
      <EmptyState title="Nothing matches these filters" action={<Button onClick={onClear}>Clear filters</Button>}>
        {error.message}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title="This could not be loaded"
      action={<Button onClick={() => client.refetchQueries({ predicate: isFailed })}>Try again</Button>}
    >
      {error.message}
    </EmptyState>
  )
}

function isFailed({ state }: { state: { status: string } }): boolean {
  return state.status === 'error'
}
