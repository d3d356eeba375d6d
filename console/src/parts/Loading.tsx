import { useConnection } from '../data/connection.ts'
import './loading.css'

/** Shown while something is being loaded, unless that only takes a moment, and why it cannot be. */
export function Loading() {
  const { isLost } = useConnection()
  return (
    <p className="loading" role="status">
      {isLost
        ? 'This cannot be loaded, because Petstore does not respond. It appears here once Petstore responds.'
        : 'Loading …'}
    </p>
  )
}
