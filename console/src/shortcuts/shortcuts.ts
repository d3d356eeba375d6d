import { useEffectEvent, useLayoutEffect } from 'react'
import { useIsAdmin } from '../data/session.ts'
import { createStore } from '../lib/store.ts'
import { expectOverlay, MAX_WAIT_MS } from '../lib/type-ahead.ts'
import type { Place } from '../shell/places.ts'

/** A key, or a sequence of keys, that works while a screen or a part of it is shown. */
export interface Shortcut {
  /** A key, such as `n` or `?`; `mod+k` for Ctrl+K or ⌘K; or a sequence, such as `g a`. */
  keys: string
  /** Its action as a command: "Add animal". The list of shortcuts and the command palette show it. */
  name: string
  /** Left out if the focused element handles the key itself, like a table row: the shortcut is then only listed. */
  run?: (() => void) | undefined
}

/** The current shortcuts, oldest first. */
export const shortcuts = createStore<readonly Shortcut[]>([])

/** @returns a function that removes it */
function register(shortcut: Shortcut): () => void {
  shortcuts.set([...shortcuts.get(), shortcut])
  if (wanted?.name === shortcut.name) {
    if (Date.now() < wanted.until) queueMicrotask(() => shortcut.run?.())
    wanted = undefined
  }
  return () => shortcuts.set(shortcuts.get().filter(one => one !== shortcut))
}

/** The shortcut to run once its screen has loaded. */
let wanted: { name: string; until: number } | undefined

/** Runs the shortcut with this name, or, if its screen is not shown yet, as soon as it is. */
export function perform(name: string): void {
  const shown = shortcuts.get().findLast(one => one.name === name)
  wanted = shown ? undefined : { name, until: Date.now() + MAX_WAIT_MS }
  shown?.run?.()
}

/**
 * Offers a shortcut as long as the component is shown:
 *
 *     useShortcut({ keys: 'n', name: 'Issue key', run: () => setIsOpen(true) }, isAdmin)
 *
 * It does nothing while someone types in a field or a dialog is open. If several shortcuts have the same keys, the newest one runs. Actions that the
 * command palette offers on every screen have their own hook: `useAction`.
 * @param isAllowed whether the operator may do it, and it currently makes sense
 */
export function useShortcut({ keys, name, run }: Shortcut, isAllowed = true): void {
  const isHandledElsewhere = run === undefined
  const act = useEffectEvent(() => run?.())
  // Before the screen is painted: its keys work from the moment that it is seen.
  useLayoutEffect(() => {
    if (!isAllowed) return
    return register({ keys, name, run: isHandledElsewhere ? undefined : () => act() })
  }, [keys, name, isHandledElsewhere, isAllowed])
}

/** A frequent action, available on every screen, and the place that performs it. */
export type Action = Pick<Place, 'name' | 'to' | 'icon' | 'needsAdmin'>

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

/** Offers the action of a screen while its code loads. The dialog opens, with what is typed meanwhile, once it has loaded. */
export function useEarlyAction(path: string): void {
  const action = Object.values<Action>(ACTIONS).find(({ to }) => to === path)
  const isAdmin = useIsAdmin()
  const name = action?.name ?? ''
  const run = () => {
    expectOverlay()
    wanted = { name, until: Date.now() + MAX_WAIT_MS }
  }
  useShortcut({ keys: 'n', name, run }, action !== undefined && (isAdmin || !action.needsAdmin))
}
