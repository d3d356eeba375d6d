import { Link } from '@tanstack/react-router'
import { useIsAdmin } from '../data/session.ts'
import { Icon } from '../ui/Icon.tsx'
import { GROUPS } from './places.ts'

/** The screens that the operator may open. */
export function Navigation({ onChosen }: { onChosen(): void }) {
  const isAdmin = useIsAdmin()
  return (
    <nav aria-label="Screens">
      {GROUPS.map(({ label, places }) => (
        <section key={label} className="nav-group">
          <h2>{label}</h2>
          <ul>
            {places
              .filter(({ needsAdmin }) => isAdmin || !needsAdmin)
              .map(({ to, name, icon }) => (
                <li key={to}>
                  <Link to={to} className="nav-link" activeOptions={{ exact: to === '/' }} onClick={onChosen}>
                    <Icon name={icon} />
                    {name}
                  </Link>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}
