import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { accountUsageQuery } from '../../data/account-records.ts'
import { formatCount } from '../../lib/numbers.ts'
import { Panel } from '../../parts/Panel.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { UsageBars } from './UsageBars.tsx'

/** How often the account called, day by day. */
export function AccountUsage({ accountId }: { accountId: string }) {
  const { data: days, error } = useQuery(accountUsageQuery(accountId))
  const calls = days?.reduce((sum, { admitted }) => sum + admitted, 0) ?? 0
  const refused = days?.reduce((sum, { refused, banned }) => sum + refused + banned, 0) ?? 0
  return (
    <Panel
      title={days ? `Calls in ${days.length} days` : 'Calls by day'}
      actions={
        <Link to="/usage" search={{ account: accountId, range: '30d' }}>
          Details
        </Link>
      }
    >
      {error && <Notice tone="danger">{error.message}</Notice>}
      {days && calls + refused === 0 && (
        <EmptyState title="No calls yet">Calls with the keys of this account appear here, day by day.</EmptyState>
      )}
      {days && calls + refused > 0 && (
        <>
          <p>
            {formatCount(calls)} calls, {formatCount(refused)} refused.
          </p>
          <UsageBars days={days} />
        </>
      )}
    </Panel>
  )
}
