import type { ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import type { KeysSearch } from './key-search.ts'

interface NoKeysProps {
  search: KeysSearch
  issue: ReactNode
  onClear(): void
}

export function NoKeys({ search: { account, search, state, unused, expires }, issue, onClear }: NoKeysProps) {
  if (account || search || state || unused || expires) {
    return (
      <EmptyState title="No key matches" action={<Button onClick={onClear}>Clear filters</Button>}>
        Try a part of its name, or the last characters of the key.
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No keys yet" action={issue}>
      A program needs a key to call the API. Create an account first, then issue it a key.
    </EmptyState>
  )
}
