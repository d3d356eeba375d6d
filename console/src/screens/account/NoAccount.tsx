import { Link } from '@tanstack/react-router'
import { ApiError } from '../../api/errors.ts'
import { ListError } from '../../parts/ListError.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'

/** Shown instead of an account that does not exist, or could not be loaded. */
export function NoAccount({ error }: { error: Error }) {
  if (!(error instanceof ApiError && error.status === 404)) return <ListError error={error} />
  return (
    <EmptyState
      title="This account does not exist"
      action={
        <Link to="/accounts" className="button">
          Show all accounts
        </Link>
      }
    >
      It may have been deleted. Its usage and audit entries are kept.
    </EmptyState>
  )
}
