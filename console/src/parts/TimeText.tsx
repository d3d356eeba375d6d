import { formatRelative, formatTime, formatUtc } from '../lib/time.ts'
import { useNow } from '../lib/use-now.ts'
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
