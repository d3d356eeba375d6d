import { useState } from 'react'
import { isConflict } from '../../api/errors.ts'
import type { Account } from '../../api/schema.ts'

/** Returns the version that the operator has seen: the one that the form was opened with, or, after a conflict, the current one. */
export function useSeenVersion(account: Account): (error: Error | null) => string {
  const [{ etag }] = useState(account)
  return error => (isConflict(error) ? account.etag : etag)
}
