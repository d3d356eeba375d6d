import type { Windows } from '../../api/schema.ts'
import { formatCount } from '../../lib/numbers.ts'
import { Countdown } from '../../parts/Countdown.tsx'

interface GaugeProps {
  name: string
  window: Windows['minute']
  /** How far the browser's clock is ahead of the clock that resets the window. */
  aheadMs: number
}

const HIGH = 0.8

/** The calls left within a limit, and when it resets. */
export function Gauge({ name, window: { limit, used, remaining, resetsAt }, aheadMs }: GaugeProps) {
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
