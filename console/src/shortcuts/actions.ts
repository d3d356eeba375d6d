import type { LinkProps } from '@tanstack/react-router'
import type { IconName } from '../ui/Icon.tsx'
import { useShortcut } from './registry.ts'

/** Frequent actions, available on every screen. */
export interface Action {
  name: string
  /** The screen that performs it. */
  to: NonNullable<LinkProps['to']>
  icon: IconName
  needsAdmin?: boolean
}

export const ACTIONS = {
  addAnimal: { name: 'Add animal', to: '/animals', icon: 'plus' },
  createAccount: { name: 'Create account', to: '/accounts', icon: 'plus', needsAdmin: true },
  issueKey: { name: 'Issue key', to: '/keys', icon: 'plus', needsAdmin: true },
  createToken: { name: 'Create operator token', to: '/tokens', icon: 'plus', needsAdmin: true },
} as const satisfies Readonly<Record<string, Action>>

/** Performs an action of the command palette on the current screen, also with the key `n`. */
export function useAction(action: keyof typeof ACTIONS, run: () => void, isAllowed = true): void {
  useShortcut({ keys: 'n', name: ACTIONS[action].name, run }, isAllowed)
}
