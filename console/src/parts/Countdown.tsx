import { formatTime } from '../lib/time.ts'
import { useSeconds } from '../lib/use-now.ts'
import { useZone } from '../lib/use-preferences.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE

/** The time left until an instant, such as "14:59" or "2:05:00"; undefined once it has passed. */
function formatCountdown(until: string, now: number): string | undefined {
  const seconds = Math.ceil((Date.parse(until) - now) / 1_000)
  if (seconds <= 0) return undefined
  const minutes = Math.floor((seconds % HOUR) / MINUTE)
  const rest = pad(seconds % MINUTE)
  return seconds < HOUR ? `${minutes}:${rest}` : `${Math.floor(seconds / HOUR)}:${pad(minutes)}:${rest}`
}

function pad(number: number): string {
  return String(number).padStart(2, '0')
}

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
