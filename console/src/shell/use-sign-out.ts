import { useMutation } from '@tanstack/react-query'
import { signOut } from '../data/session.ts'
import { hasUnsaved, startFresh } from '../lib/leaving.ts'
import { createStore } from '../lib/store.ts'
import { addFailure } from '../ui/toasts.ts'

/** Whether the operator wants to sign out, and is asked because of unsaved changes. */
export const askingToSignOut = createStore(false)

/** Signs out, and leaves no data of this operator for the next one. */
export function useSignOut() {
  return useMutation({
    mutationFn: signOut,
    onSuccess: () => startFresh(),
    onError: error => addFailure('You are still signed in', error),
  })
}

/** The same, but asks first if something would be lost. */
export function useSafeSignOut() {
  const { mutate } = useSignOut()
  return () => (hasUnsaved('tab') ? askingToSignOut.set(true) : mutate())
}
