import { useConnection } from '../data/connection.ts'
import { formatClock } from '../lib/time.ts'
import { useZone } from '../lib/use-zone.ts'
import './banner.css'

/** Says that the service cannot be reached, as long as that is so. */
export function Connection() {
  const { isLost, lastAnswer } = useConnection()
  const [zone] = useZone()
  return (
    <div className="banner" role="status">
      {isLost && (
        <p>
          <strong>{navigator.onLine ? 'Petstore cannot be reached.' : 'This device is offline.'}</strong> Trying again …
          {lastAnswer && ` Last answer at ${formatClock(lastAnswer, zone)}.`}
        </p>
      )}
    </div>
  )
}
