import { useQuery } from '@tanstack/react-query'
import type { Account, Windows } from '../../api/schema.ts'
import { windowsQuery } from '../../data/accounts.ts'
import { formatCount } from '../../lib/numbers.ts'
import { Countdown } from '../../parts/Countdown.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Notice } from '../../ui/Notice.tsx'

/** How many calls the account currently has left within its limits. */
export function Gauges({ account: { id } }: { account: Account }) {
  const { data: windows, error, dataUpdatedAt } = useQuery(windowsQuery(String(id)))
  const aheadMs = windows ? dataUpdatedAt - Date.parse(windows.at) : 0
  return (
    <Panel title="Calls left" className="gauges">
      {error && <Notice tone="danger">{error.message}</Notice>}
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

const HIGH = 0.8

/** The calls left within a limit, and when it resets. */
function Gauge({ name, window: { limit, used, remaining, resetsAt }, aheadMs }: GaugeProps) {
  const share = Math.min(1, used / limit)
  const level = remaining === 0 ? 'full' : share >= HIGH ? 'high' : 'normal'
  return (
    <section className="gauge" aria-label={name}>
      <div className="gauge-head">
        <h3>{name}</h3>
        <span className="gauge-hint">
          {resetsAt === null ? (
            'No calls yet'
          ) : (
            <>
              Resets in <Countdown until={new Date(Date.parse(resetsAt) + aheadMs).toISOString()} over="a moment" />
            </>
          )}
        </span>
      </div>
      <p className="gauge-figure">
        {formatCount(remaining)} <span className="gauge-of">of {formatCount(limit)} left</span>
      </p>
      <meter className="visually-hidden" aria-label={`Used, ${name}`} max={limit} value={Math.min(used, limit)} />
      <div className="gauge-bar" data-level={level} aria-hidden="true">
        <div style={{ inlineSize: `${share * 100}%` }} />
      </div>
      <p className="gauge-hint">
        {level === 'full' ? 'Calls are refused until the reset.' : `${formatCount(used)} used`}
      </p>
    </section>
  )
}
