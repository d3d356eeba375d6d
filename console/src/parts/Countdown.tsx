import { formatCountdown } from '../lib/countdown.ts'
import { formatTime } from '../lib/time.ts'
import { useSeconds } from '../lib/use-now.ts'
import { useZone } from '../lib/use-zone.ts'

/** The time left until an instant, counted down every second. */
export function Countdown({ until, over = 'over' }: { until: string; over?: string }) {
  const [zone] = useZone()
  const left = formatCountdown(until, useSeconds())
  return (
    <time dateTime={until} className="number" title={`Until ${formatTime(until, zone)}`}>
      {left ?? over}
    </time>
  )
}
