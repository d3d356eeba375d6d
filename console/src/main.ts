import { wasSignedIn } from './data/signed-in-mark.ts'
import { loaderOf } from './screens.ts'

// The page begins here. What the sign-in needs is on its way already: index.html asks for it. What is behind the sign-in is loaded beside
// it if someone was signed in, and otherwise while the sign-in is shown.

void import('./app.tsx')
if (wasSignedIn()) {
  for (const load of [() => import('./shell/Console.tsx'), loaderOf(location.pathname)]) load?.().catch(() => {})
}
