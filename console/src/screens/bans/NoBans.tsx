import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'

export type BanFilters = { state?: string; account?: string }

/** There are no bans, or none that match. */
export function NoBans({ filters, onChange }: { filters: BanFilters; onChange(change: BanFilters): void }) {
  const past = <Button onClick={() => onChange({ state: 'all' })}>Show past bans</Button>
  if (filters.account !== undefined) {
    const all = <Button onClick={() => onChange({ account: '' })}>Show all accounts</Button>
    return (
      <EmptyState title="No bans of this account" action={all}>
        {filters.state === 'all' ? 'None of its keys has ever been banned.' : 'None of its keys is banned now.'}
      </EmptyState>
    )
  }
  if (filters.state === 'all') {
    return (
      <EmptyState title="No key has ever been banned">
        A key that keeps calling instead of waiting appears here.
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No key is banned" action={past}>
      All is well: every program waits when the service asks it to.
    </EmptyState>
  )
}
