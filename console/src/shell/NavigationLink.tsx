import { Link, useNavigate } from '@tanstack/react-router'
import { useShortcut } from '../shortcuts/use-shortcut.ts'
import { Icon } from '../ui/Icon.tsx'
import type { Place } from './navigation.ts'

export function NavigationLink({ place, onChosen }: { place: Place; onChosen(): void }) {
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
