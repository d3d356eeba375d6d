import { wasSignedIn } from './data/signed-in-mark.ts'
import { loaderOf } from './screens.ts'

// The entry point. index.html already preloads what the sign-in needs. Everything behind the sign-in is loaded in parallel if someone was signed in,
// and otherwise while the sign-in is shown.

void import('./app.tsx')
if (wasSignedIn()) {
  for (const load of [() => import('./routes.tsx'), loaderOf(location.pathname)]) load?.().catch(() => {})
}
