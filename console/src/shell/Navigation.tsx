import { Link, type LinkProps, useNavigate } from '@tanstack/react-router'
import { CONSOLE_URL } from '../api/call.ts'
import { useIsAdmin } from '../data/session.ts'
import { useShortcut } from '../shortcuts/shortcuts.ts'
import { Icon, type IconName } from '../ui/Icon.tsx'

/** A screen, as the navigation and the command palette name it. */
interface Place {
  to: NonNullable<LinkProps['to']>
  name: string
  icon: IconName
  /** The key that, after `g`, goes there. */
  letter: string
  needsAdmin?: boolean
}

export const GROUPS: readonly { label: string; places: readonly Place[] }[] = [
  { label: 'Today', places: [{ to: '/', name: 'Overview', icon: 'overview', letter: 'o' }] },
  {
    label: 'Animals',
    places: [
      { to: '/animals', name: 'Animals', icon: 'animals', letter: 'a' },
      { to: '/import', name: 'Import', icon: 'import', letter: 'i' },
      { to: '/sources', name: 'Sources', icon: 'sources', letter: 'f' },
    ],
  },
  {
    label: 'Partners',
    places: [
      { to: '/accounts', name: 'Accounts', icon: 'accounts', letter: 'c' },
      { to: '/keys', name: 'Keys', icon: 'keys', letter: 'k' },
      { to: '/bans', name: 'Bans', icon: 'bans', letter: 'b' },
    ],
  },
  {
    label: 'Service',
    places: [
      { to: '/usage', name: 'Usage', icon: 'usage', letter: 'u' },
      { to: '/audit', name: 'Audit log', icon: 'audit', letter: 'l' },
      { to: '/health', name: 'Health', icon: 'health', letter: 'h' },
      { to: '/settings', name: 'Settings', icon: 'settings', letter: 's' },
      { to: '/tokens', name: 'Operator tokens', icon: 'tokens', letter: 't', needsAdmin: true },
    ],
  },
]

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
