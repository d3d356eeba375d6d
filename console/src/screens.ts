/** Every screen by its path. A screen is loaded when it is first opened. */
export const SCREENS = {
  '/': () => import('./screens/overview/OverviewScreen.tsx'),
  '/animals': () => import('./screens/animals/AnimalsScreen.tsx'),
  '/bans': () => import('./screens/bans/BansScreen.tsx'),
  '/usage': () => import('./screens/usage/UsageScreen.tsx'),
  '/import': () => import('./screens/import/ImportScreen.tsx'),
  '/sources': () => import('./screens/sources/SourcesScreen.tsx'),
  '/audit': () => import('./screens/audit/AuditScreen.tsx'),
  '/tokens': () => import('./screens/tokens/TokensScreen.tsx'),
  '/health': () => import('./screens/health/HealthScreen.tsx'),
  '/settings': () => import('./screens/settings/SettingsScreen.tsx'),
  '/accounts': () => import('./screens/accounts/AccountsScreen.tsx'),
  '/accounts/$accountId': () => import('./screens/account/AccountScreen.tsx'),
  '/keys': () => import('./screens/keys/KeysScreen.tsx'),
} as const

export type Path = keyof typeof SCREENS

/** The path of the screen at a URL. */
export function pathAt({ pathname }: { pathname: string }): Path | undefined {
  const path = pathname.slice(new URL(document.baseURI).pathname.length - 1)
  return PATHS.find(screen => new RegExp(`^${screen.replace(/\$\w+/, '[^/]+')}$`).test(path))
}

const PATHS = Object.keys(SCREENS) as readonly Path[]
