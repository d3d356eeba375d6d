import './loading.css'

/** In place of what is being loaded, unless that takes only a moment. */
export function Loading() {
  return (
    <p className="loading" role="status">
      Loading …
    </p>
  )
}
