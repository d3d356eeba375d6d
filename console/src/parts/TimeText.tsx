import { formatRelative, formatTime } from '../lib/time.ts'
import { useNow } from '../lib/use-now.ts'
import { useZone } from '../lib/use-zone.ts'

/** A time, such as "3 minutes ago", with the exact UTC in its tooltip. */
export function TimeText({ at, isExact = false }: { at: string | null; isExact?: boolean }) {
  const [zone] = useZone()
  const now = useNow()
  if (at === null) return <span className="muted">never</span>
  return (
    <time dateTime={at} title={`${at.replace('T', ' ').replace(/\.\d+Z$|Z$/, '')} UTC`}>
      {isExact ? formatTime(at, zone) : formatRelative(at, now)}
    </time>
  )
}
