import type { LinkProps } from '@tanstack/react-router'
import type { IconName } from '../ui/Icon.tsx'

/** A screen, as the navigation and the command palette name it. */
export interface Place {
  to: NonNullable<LinkProps['to']>
  name: string
  /** The title of the screen, if it is not the name. */
  title?: string
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
      { to: '/import', name: 'Import', title: 'Import animals', icon: 'import', letter: 'i' },
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

/** The title of a screen until its data names it better. */
export function titleOf(path: string | undefined): string {
  if (path === '/accounts/$accountId') return 'Account'
  const place = GROUPS.flatMap(({ places }) => places).find(({ to }) => to === path)
  return place?.title ?? place?.name ?? 'Petstore'
}
