import type { ReactNode } from 'react'
import type { AccountFilter } from '../../data/accounts.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'

interface NoAccountsProps {
  filter: AccountFilter
  create: ReactNode
  onClear(): void
}

export function NoAccounts({ filter: { name, plan, state }, create, onClear }: NoAccountsProps) {
  if (name || plan || state) {
    return (
      <EmptyState title="No account matches" action={<Button onClick={onClear}>Clear filters</Button>}>
        Try a shorter part of the name, or another plan.
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No accounts yet" action={create}>
      Create one for each partner or app that calls the API. Then issue an API key to it.
    </EmptyState>
  )
}
