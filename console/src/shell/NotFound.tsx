import { Link } from '@tanstack/react-router'
import { useTitle } from '../lib/use-title.ts'
import './message.css'

export function NotFound() {
  useTitle('Page not found')
  return (
    <section className="message">
      <h1>Page not found</h1>
      <p>There is no page at this address. Check it for typos, or go to the overview.</p>
      <Link className="button button-primary" to="/">
        Go to the overview
      </Link>
    </section>
  )
}
