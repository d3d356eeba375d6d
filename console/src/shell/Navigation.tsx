import { Link, useNavigate } from '@tanstack/react-router'
import { CONSOLE_URL } from '../api/call.ts'
import { useIsAdmin } from '../data/session.ts'
import { useShortcut } from '../shortcuts/shortcuts.ts'
import { Icon } from '../ui/Icon.tsx'
import { GROUPS, type Place } from './places.ts'

const GUIDES = new URL('../docs/guides', CONSOLE_URL).href

/** The screens that the operator may open, and the guides. */
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
              .map(place => (
                <li key={place.to}>
                  <NavigationLink place={place} onChosen={onChosen} />
                </li>
              ))}
          </ul>
        </section>
      ))}
      <a className="nav-link" href={GUIDES} target="_blank" rel="noopener">
        <Icon name="help" />
        Help
      </a>
    </nav>
  )
}

function NavigationLink({ place, onChosen }: { place: Place; onChosen(): void }) {
  const { to, name, icon, letter } = place
  const navigate = useNavigate()
  useShortcut({ keys: `g ${letter}`, name, run: () => void navigate({ to }) })
  return (
    <Link to={to} className="nav-link" activeOptions={{ exact: to === '/' }} onClick={onChosen}>
      <Icon name={icon} />
      {name}
    </Link>
  )
}
