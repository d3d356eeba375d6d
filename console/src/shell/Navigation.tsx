import { useIsAdmin } from '../data/session.ts'
import { NavigationLink } from './NavigationLink.tsx'
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
              .map(place => (
                <li key={place.to}>
                  <NavigationLink place={place} onChosen={onChosen} />
                </li>
              ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}
