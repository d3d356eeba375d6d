import type { QueryClient } from '@tanstack/react-query'
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { CONSOLE_URL } from './api/call.ts'
import { formatSearch, parseSearch, pickSearch } from './lib/search.ts'
import { App } from './shell/App.tsx'
import { NotFound } from './shell/NotFound.tsx'
import { ScreenError } from './shell/ScreenError.tsx'

const root = createRootRoute({ component: App, notFoundComponent: NotFound })

// Every screen with its path and its search, which holds its filters. A screen is loaded when it is first opened.

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/overview/OverviewScreen.tsx'), 'OverviewScreen'),
})

const animals = createRoute({
  getParentRoute: () => root,
  path: '/animals',
  validateSearch: pickSearch('q', 'status', 'category', 'sort', 'open'),
  component: lazyRouteComponent(() => import('./screens/animals/AnimalsScreen.tsx'), 'AnimalsScreen'),
})

const bans = createRoute({
  getParentRoute: () => root,
  path: '/bans',
  validateSearch: pickSearch('state', 'account', 'key'),
  component: lazyRouteComponent(() => import('./screens/bans/BansScreen.tsx'), 'BansScreen'),
})

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: pickSearch('range', 'from', 'to', 'unit', 'by', 'account', 'key', 'operation'),
  component: lazyRouteComponent(() => import('./screens/usage/UsageScreen.tsx'), 'UsageScreen'),
})

const importing = createRoute({
  getParentRoute: () => root,
  path: '/import',
  component: lazyRouteComponent(() => import('./screens/import/ImportScreen.tsx'), 'ImportScreen'),
})

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: pickSearch('operator', 'action', 'subjectKind', 'subjectId', 'account', 'from', 'to', 'open'),
  component: lazyRouteComponent(() => import('./screens/audit/AuditScreen.tsx'), 'AuditScreen'),
})

const tokens = createRoute({
  getParentRoute: () => root,
  path: '/tokens',
  component: lazyRouteComponent(() => import('./screens/tokens/TokensScreen.tsx'), 'TokensScreen'),
})

const health = createRoute({
  getParentRoute: () => root,
  path: '/health',
  component: lazyRouteComponent(() => import('./screens/health/HealthScreen.tsx'), 'HealthScreen'),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: pickSearch('search', 'source'),
  component: lazyRouteComponent(() => import('./screens/settings/SettingsScreen.tsx'), 'SettingsScreen'),
})

const accounts = createRoute({
  getParentRoute: () => root,
  path: '/accounts',
  validateSearch: pickSearch('name', 'plan', 'state', 'sort'),
  component: lazyRouteComponent(() => import('./screens/accounts/AccountsScreen.tsx'), 'AccountsScreen'),
})

const account = createRoute({
  getParentRoute: () => root,
  path: '/accounts/$accountId',
  validateSearch: pickSearch('key'),
  component: lazyRouteComponent(() => import('./screens/account/AccountScreen.tsx'), 'AccountScreen'),
})

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  validateSearch: pickSearch('account', 'search', 'state', 'unused', 'expires', 'key'),
  component: lazyRouteComponent(() => import('./screens/keys/KeysScreen.tsx'), 'KeysScreen'),
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

export function createConsoleRouter(_queryClient: QueryClient) {
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
