import type { Windows } from '../../api/schema.ts'
import { formatCount } from '../../lib/numbers.ts'
import { formatRelative } from '../../lib/time.ts'

interface GaugeProps {
  name: string
  window: Windows['minute']
  /** When it was read, by the clock that resets it. */
  at: string
}

const HIGH = 0.8

export function Gauge({ name, window: { limit, used, remaining, resetsAt }, at }: GaugeProps) {
  const share = Math.min(1, used / limit)
  const level = remaining === 0 ? 'full' : share >= HIGH ? 'high' : 'normal'
  const hint = resetsAt === null ? 'No calls yet.' : `Resets ${formatRelative(resetsAt, Date.parse(at))}.`
  return (
    <section className="gauge" aria-label={name}>
      <div className="gauge-head">
        <span>{name}</span>
        <span className="gauge-figure">
          {formatCount(used)} <span className="gauge-of">of {formatCount(limit)}</span>
        </span>
      </div>
      <meter className="visually-hidden" aria-label={name} max={limit} value={Math.min(used, limit)} />
      <div className="gauge-bar" data-level={level} aria-hidden="true">
        <div style={{ inlineSize: `${share * 100}%` }} />
      </div>
      <p className="gauge-hint">
        {remaining === 0 ? 'Further calls are refused. ' : `${formatCount(remaining)} left. `}
        {hint}
      </p>
    </section>
  )
}
