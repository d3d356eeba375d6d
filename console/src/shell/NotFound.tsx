import { Link } from '@tanstack/react-router'
import './message.css'

export function NotFound() {
  return (
    <section className="message">
      <h1>There is nothing here</h1>
      <p>The address is wrong, or what it led to has been moved.</p>
      <Link className="button button-primary" to="/">
        Go to the overview
      </Link>
    </section>
  )
}
