import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Usage } from '../../api/schema.ts'
import { accountUsageQuery } from '../../data/accounts.ts'
import { formatCount } from '../../lib/numbers.ts'
import { formatDay } from '../../lib/time.ts'
import { Panel } from '../../parts/Panel.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Notice } from '../../ui/Notice.tsx'

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

/** A bar for each day: the admitted calls, with the refused ones on top. The tooltip of each bar has its numbers, also for screen readers. */
function UsageBars({ days }: { days: readonly Usage[] }) {
  const highest = Math.max(1, ...days.map(({ admitted, refused, banned }) => admitted + refused + banned))
  const part = (count: number) => ({ blockSize: `${(count / highest) * 100}%` })
  return (
    <div>
      <ol className="bars" aria-label="Calls by day">
        {days.map(({ day = '', admitted, refused, banned }) => {
          const text = `${formatDay(day)}: ${formatCount(admitted)} calls, ${formatCount(refused + banned)} refused`
          return (
            <li key={day} className="bar" title={text}>
              <span className="visually-hidden">{text}</span>
              <div className="bar-refused" style={part(refused + banned)} />
              <div className="bar-admitted" style={part(admitted)} />
            </li>
          )
        })}
      </ol>
      <p className="bars-days" aria-hidden="true">
        <span>{formatDay(days[0]?.day ?? '')}</span>
        <span>{formatDay(days.at(-1)?.day ?? '')}</span>
      </p>
    </div>
  )
}
