import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Account, Windows } from '../../api/schema.ts'
import { accountUsageQuery, windowsQuery } from '../../data/accounts.ts'
import { formatCount, formatCounted, sumOf } from '../../lib/numbers.ts'
import { UseBar } from '../../parts/accounts/UseBar.tsx'
import { Chart } from '../../parts/Chart.tsx'
import { chartByStatus } from '../../parts/chart-data.ts'
import { Loading } from '../../parts/Loading.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Countdown, TimeText } from '../../parts/times.tsx'
import { EmptyState, Notice } from '../../ui/states.tsx'

const NO_CALLS = (
  <EmptyState title="No calls yet">Calls with the keys of this account appear here, day by day.</EmptyState>
)

export function AccountUsage({ account: { id, deprecatedCalls, lastDeprecatedCallAt } }: { account: Account }) {
  const accountId = String(id)
  const { data: days, error } = useQuery(accountUsageQuery(accountId))
  const calls = sumOf(days?.map(({ admitted }) => admitted) ?? [])
  const refused = sumOf(days?.map(({ refused, banned }) => refused + banned) ?? [])
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
      {!days && !error && <Loading />}
      {calls + refused > 0 && (
        <p>
          {formatCounted(calls, 'call')}, {formatCount(refused)} refused.
        </p>
      )}
      {days && <Chart label="Calls by day" data={chartByStatus('day', days)} isSmall empty={NO_CALLS} />}
      {deprecatedCalls > 0 && (
        <p>
          <Link to="/usage" search={{ account: accountId, range: '30d', by: 'operation' }}>
            {formatCounted(deprecatedCalls, 'call')} of a kind that will be removed
          </Link>
          , the latest <TimeText at={lastDeprecatedCallAt} />
        </p>
      )}
    </Panel>
  )
}

/** How many calls the account currently has left within its limits. */
export function Gauges({ account: { id } }: { account: Account }) {
  const { data: windows, error, dataUpdatedAt } = useQuery(windowsQuery(String(id)))
  const aheadMs = windows ? dataUpdatedAt - Date.parse(windows.at) : 0
  return (
    <Panel title="Calls left" className="gauges">
      {error && <Notice tone="danger">{error.message}</Notice>}
      {!windows && !error && <Loading />}
      {windows && !windows.complete && (
        <Notice tone="change">Calls to other instances may be missing at the moment.</Notice>
      )}
      {windows && <Gauge name="This minute" window={windows.minute} aheadMs={aheadMs} />}
      {windows && <Gauge name="Today (UTC)" window={windows.day} aheadMs={aheadMs} />}
    </Panel>
  )
}

interface GaugeProps {
  name: string
  window: Windows['minute']
  /** How far the browser's clock is ahead of the clock that resets the window. */
  aheadMs: number
}

function Gauge({ name, window: { limit, used, remaining, resetsAt }, aheadMs }: GaugeProps) {
  return (
    <section className="gauge stack is-close" aria-label={name}>
      <div className="row is-spread">
        <h3>{name}</h3>
        <span className="hint">
          {resetsAt === null ? (
            'No calls yet'
          ) : (
            <>
              Resets in <Countdown until={new Date(Date.parse(resetsAt) + aheadMs).toISOString()} over="a moment" />
            </>
          )}
        </span>
      </div>
      <p className="figure-value number">
        {formatCount(remaining)} <span className="figure-of">of {formatCount(limit)} left</span>
      </p>
      <meter className="visually-hidden" aria-label={`Used, ${name}`} max={limit} value={Math.min(used, limit)} />
      <UseBar percent={(100 * used) / limit} />
      <p className="hint">{remaining === 0 ? 'Calls are refused until the reset.' : `${formatCount(used)} used`}</p>
    </section>
  )
}
