import '../../src/pages/assets/colours.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shared.css'
import { wasSignedIn } from './data/signed-in.ts'
import { recall } from './lib/preferences.ts'
import { pathAt, SCREENS } from './screens.ts'
import { showFirstFrame } from './shell/first-frame.ts'
import { titleOf } from './shell/places.ts'

// The entry point. index.html already preloads what the sign-in needs. If someone was signed in, everything behind the sign-in is loaded in parallel,
// and the frame is shown meanwhile; otherwise it is loaded while the sign-in is shown.

void import('./app.tsx')
if (wasSignedIn()) {
  const theme = recall('theme')
  if (theme !== undefined) document.documentElement.dataset.theme = theme
  const path = pathAt(location)
  showFirstFrame(titleOf(path))
  for (const load of [() => import('./routes.tsx'), ...(path ? [SCREENS[path]] : [])]) load().catch(() => {})
}
