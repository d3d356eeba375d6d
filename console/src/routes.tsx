import { useQueryClient } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { CONSOLE_URL } from './api/call.ts'
import { loadChunk } from './data/lazy-chunks.tsx'
import { formatSearch, parseSearch, pickSearch } from './lib/search.ts'
import { useTitle } from './lib/use-title.ts'
import { SCREENS } from './screens.ts'
import { SignedIn } from './shell/SignedIn.tsx'
import { Button } from './ui/Button.tsx'
import './shell/message.css'

const root = createRootRoute({ component: SignedIn, notFoundComponent: NotFound })

// Every screen with its path and its search, which has its filters.

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => loadChunk(SCREENS['/']), 'OverviewScreen'),
})

const animals = createRoute({
  getParentRoute: () => root,
  path: '/animals',
  validateSearch: pickSearch('q', 'status', 'category', 'sort', 'open'),
  component: lazyRouteComponent(() => loadChunk(SCREENS['/animals']), 'AnimalsScreen'),
})

const bans = createRoute({
  getParentRoute: () => root,
  path: '/bans',
  validateSearch: pickSearch('state', 'account', 'key'),
  component: lazyRouteComponent(() => loadChunk(SCREENS['/bans']), 'BansScreen'),
})

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: pickSearch('range', 'from', 'to', 'unit', 'by', 'account', 'key', 'operation'),
  component: lazyRouteComponent(() => loadChunk(SCREENS['/usage']), 'UsageScreen'),
})

const importing = createRoute({
  getParentRoute: () => root,
  path: '/import',
  component: lazyRouteComponent(() => loadChunk(SCREENS['/import']), 'ImportScreen'),
})

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: pickSearch('operator', 'action', 'subjectKind', 'subjectId', 'account', 'from', 'to', 'open'),
  component: lazyRouteComponent(() => loadChunk(SCREENS['/audit']), 'AuditScreen'),
})

const tokens = createRoute({
  getParentRoute: () => root,
  path: '/tokens',
  component: lazyRouteComponent(() => loadChunk(SCREENS['/tokens']), 'TokensScreen'),
})

const health = createRoute({
  getParentRoute: () => root,
  path: '/health',
  component: lazyRouteComponent(() => loadChunk(SCREENS['/health']), 'HealthScreen'),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: pickSearch('search', 'source'),
  component: lazyRouteComponent(() => loadChunk(SCREENS['/settings']), 'SettingsScreen'),
})

const accounts = createRoute({
  getParentRoute: () => root,
  path: '/accounts',
  validateSearch: pickSearch('name', 'plan', 'state', 'sort'),
  component: lazyRouteComponent(() => loadChunk(SCREENS['/accounts']), 'AccountsScreen'),
})

const account = createRoute({
  getParentRoute: () => root,
  path: '/accounts/$accountId',
  validateSearch: pickSearch('key'),
  component: lazyRouteComponent(() => loadChunk(SCREENS['/accounts/$accountId']), 'AccountScreen'),
})

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  validateSearch: pickSearch('account', 'search', 'state', 'unused', 'expires', 'key'),
  component: lazyRouteComponent(() => loadChunk(SCREENS['/keys']), 'KeysScreen'),
})

const routeTree = root.addChildren([
  overview,
  animals,
  importing,
  bans,
  usage,
  audit,
  tokens,
  health,
  settings,
  accounts,
  account,
  keys,
])

export function createConsoleRouter() {
  return createRouter({
    routeTree,
    basepath: CONSOLE_URL.pathname,
    parseSearch,
    stringifySearch: formatSearch,
    defaultPreload: 'intent',
    defaultErrorComponent: ScreenError,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
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

/** A screen that failed. The rest of the console works. */
function ScreenError({ error, reset }: ErrorComponentProps) {
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
      <p>{error instanceof Error ? error.message : String(error)}</p>
      <Button kind="primary" onClick={tryAgain}>
        Try again
      </Button>
    </section>
  )
}
