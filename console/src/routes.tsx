import { useQueryClient } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  RouterProvider,
} from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { CONSOLE_URL } from './api/call.ts'
import { lazyChunk } from './data/lazy-chunks.tsx'
import { formatSearch, pickSearch, waitForGoingBack } from './lib/search.ts'
import { useTitle } from './lib/use-title.ts'
import { Loading } from './parts/Loading.tsx'
import { type Path, SCREENS } from './screens.ts'
import { titleOf } from './shell/places.ts'
import { SignedIn } from './shell/SignedIn.tsx'
import { useEarlyAction } from './shortcuts/shortcuts.ts'
import { Button } from './ui/Button.tsx'
import './shell/message.css'
import './styles/forced-colors.css'

const root = createRootRoute({ component: SignedIn, notFoundComponent: NotFound })

const routeTree = root.addChildren([
  screen('/', 'OverviewScreen'),
  screen('/animals', 'AnimalsScreen', 'q', 'status', 'category', 'sort', 'open'),
  screen('/bans', 'BansScreen', 'state', 'account', 'key'),
  screen('/usage', 'UsageScreen', 'range', 'from', 'to', 'unit', 'by', 'account', 'key', 'operation'),
  screen('/import', 'ImportScreen'),
  screen('/sources', 'SourcesScreen', 'open'),
  screen('/audit', 'AuditScreen', 'operator', 'action', 'subjectKind', 'subjectId', 'account', 'from', 'to', 'open'),
  screen('/tokens', 'TokensScreen'),
  screen('/health', 'HealthScreen'),
  screen('/settings', 'SettingsScreen', 'search', 'source'),
  screen('/accounts', 'AccountsScreen', 'name', 'plan', 'state', 'sort'),
  screen('/accounts/$accountId', 'AccountScreen', 'key'),
  screen('/keys', 'KeysScreen', 'account', 'search', 'state', 'unused', 'expires', 'key'),
])

/**
 * A screen. Its title is shown before its code has been loaded.
 * @param component its export
 * @param search the names in its search, which has its filters
 */
function screen<Of extends Path, Name extends string = never>(
  path: Of,
  component: keyof Awaited<ReturnType<(typeof SCREENS)[Of]>> & string,
  ...search: readonly Name[]
) {
  const load: () => Promise<Readonly<Record<string, ComponentType>>> = SCREENS[path]
  return createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: pickSearch(...search),
    component: lazyChunk(load, component, () => <LoadingScreen path={path} />),
  })
}

function LoadingScreen({ path }: { path: Path }) {
  const title = titleOf(path)
  useTitle(title)
  useEarlyAction(path)
  return (
    <div className="screen" aria-busy>
      <header className="screen-head">
        <h1>{title}</h1>
      </header>
      <Loading />
    </div>
  )
}

const router = createRouter({
  routeTree,
  basepath: CONSOLE_URL.pathname,
  parseSearch: text => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: formatSearch,
  defaultPreload: 'intent',
  defaultErrorComponent: ScreenError,
  scrollRestoration: true,
})
waitForGoingBack(router)

/** All screens. It is loaded when someone is signed in. */
export function Console() {
  return <RouterProvider router={router} />
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

function NotFound() {
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

/** A screen that failed. The rest of the console works. React has logged the error. */
function ScreenError({ reset }: ErrorComponentProps) {
  useTitle('This screen cannot be shown')
  const client = useQueryClient()
  const tryAgain = () => {
    // The data may be what cannot be shown.
    client.removeQueries({ type: 'inactive' })
    reset()
  }
  return (
    <section className="message" role="alert">
      <h1>This screen cannot be shown</h1>
      <p>Something went wrong in this page. What you have saved is kept.</p>
      <Button kind="primary" onClick={tryAgain}>
        Try again
      </Button>
    </section>
  )
}
