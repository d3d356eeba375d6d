import { useSyncExternalStore } from 'react'
import { useConnection } from '../data/connection.ts'
import { formatClock } from '../lib/time.ts'
import { useZone } from '../lib/use-zone.ts'
import './banner.css'

/** Shown while the service cannot be reached. */
export function Connection() {
  const { isLost, lastAnswer } = useConnection()
  const isOnline = useSyncExternalStore(onChange, () => navigator.onLine)
  const [zone] = useZone()
  return (
    <div className="banner" role="status">
      {isLost && (
        <p>
          <strong>{isOnline ? 'Petstore cannot be reached.' : 'This device is offline.'}</strong> Trying again …
          {lastAnswer && ` Last response at ${formatClock(lastAnswer, zone)}.`}
        </p>
      )}
    </div>
  )
}

/** A browser may only notice that it is offline, or online again, after its calls have failed. */
function onChange(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}
