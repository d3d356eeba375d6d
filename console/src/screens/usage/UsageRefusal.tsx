import { ApiError } from '../../api/call.ts'
import { Notice } from '../../ui/Notice.tsx'

/** Why there are no numbers. An invalid filter is explained at the filter. */
export function UsageRefusal({ error }: { error: Error }) {
  const isExplained = error instanceof ApiError && (error.members.size > 0 || error.status === 404)
  return isExplained ? <p>Fix the filter marked above.</p> : <Notice tone="danger">{error.message}</Notice>
}
