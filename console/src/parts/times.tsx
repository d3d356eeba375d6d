import { formatRelative, formatTime, formatUtc } from '../lib/time.ts'
import { useNow, useSeconds } from '../lib/use-now.ts'
import { useTimes, useZone } from '../lib/use-preferences.ts'

interface TimeTextProps {
  at: string | null
  /** Shows the exact time, whatever the preference for lists. */
  isExact?: boolean
  /** Shows the exact time, and how long ago it was. */
  isFull?: boolean
}

/** A time, such as "3 minutes ago", with the exact UTC in its tooltip. The menu of the operator makes all times exact. */
export function TimeText({ at, isExact = false, isFull = false }: TimeTextProps) {
  const [zone] = useZone()
  const [style] = useTimes()
  const ticked = useNow()
  if (at === null) return <span className="muted">never</span>
  // The clock ticks every few seconds, so a recent event may seem to be in the future.
  const now = Math.max(ticked, Math.min(Date.parse(at), Date.now()))
  return (
    <>
      <time dateTime={at} title={formatUtc(at)}>
        {isExact || isFull || style === 'exact' ? formatTime(at, zone) : formatRelative(at, now)}
      </time>
      {isFull && <span className="muted"> ({formatRelative(at, now)})</span>}
    </>
  )
}

/** The time left until an instant, such as "14:59" or "2:05:00"; undefined once it has passed. */
function formatCountdown(until: string, now: number): string | undefined {
  const seconds = Math.ceil((Date.parse(until) - now) / 1_000)
  if (seconds <= 0) return undefined
  const pad = (number: number) => String(number).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  const rest = pad(seconds % 60)
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${pad(minutes)}:${rest}`
}

/** The time left until an instant, counted down every second, with a word after it. */
export function Countdown({ until, after = '', over }: { until: string; after?: string; over: string }) {
  const [zone] = useZone()
  const left = formatCountdown(until, useSeconds())
  return (
    <time dateTime={until} className="number" title={`Until ${formatTime(until, zone)}`}>
      {left === undefined ? over : left + after}
    </time>
  )
}
