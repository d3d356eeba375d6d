import type { LinkProps } from '@tanstack/react-router'
import type { IconName } from '../ui/Icon.tsx'

/** A screen, as the navigation and the command palette name it. */
export interface Place {
  to: NonNullable<LinkProps['to']>
  name: string
  icon: IconName
  needsAdmin?: boolean
}

export const GROUPS: readonly { label: string; places: readonly Place[] }[] = [
  { label: 'Today', places: [{ to: '/', name: 'Overview', icon: 'overview' }] },
  {
    label: 'Animals',
    places: [
      { to: '/animals', name: 'Animals', icon: 'animals' },
      { to: '/import', name: 'Import', icon: 'import' },
    ],
  },
  {
    label: 'Partners',
    places: [
      { to: '/accounts', name: 'Accounts', icon: 'accounts' },
      { to: '/keys', name: 'Keys', icon: 'keys' },
      { to: '/bans', name: 'Bans', icon: 'bans' },
    ],
  },
  {
    label: 'Service',
    places: [
      { to: '/usage', name: 'Usage', icon: 'usage' },
      { to: '/audit', name: 'Audit log', icon: 'audit' },
      { to: '/health', name: 'Health', icon: 'health' },
      { to: '/settings', name: 'Settings', icon: 'settings' },
      { to: '/tokens', name: 'Operator tokens', icon: 'tokens', needsAdmin: true },
    ],
  },
]
