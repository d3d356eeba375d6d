import './loading.css'

/** Shown while something is being loaded, unless that only takes a moment. */
export function Loading() {
  return (
    <p className="loading" role="status">
      Loading …
    </p>
  )
}
