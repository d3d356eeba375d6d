import { formatCountdown } from '../lib/countdown.ts'
import { formatTime } from '../lib/time.ts'
import { useSeconds } from '../lib/use-now.ts'
import { useZone } from '../lib/use-zone.ts'

/** What is left until a time, counted down by the second. */
export function Countdown({ until, over = 'over' }: { until: string; over?: string }) {
  const [zone] = useZone()
  const left = formatCountdown(until, useSeconds())
  return (
    <time dateTime={until} className="number" title={`Until ${formatTime(until, zone)}`}>
      {left ?? over}
    </time>
  )
}
