import { useEffect, useEffectEvent } from 'react'
import { register, type Shortcut } from './registry.ts'

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
  useEffect(() => {
    if (!isAllowed) return
    return register({ keys, name, run: isHandledElsewhere ? undefined : () => act() })
  }, [keys, name, isHandledElsewhere, isAllowed])
}
