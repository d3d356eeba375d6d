import { useMutation } from '@tanstack/react-query'
import { signOut } from '../data/session.ts'
import { startFresh } from '../lib/leaving.ts'
import { addFailure } from '../ui/toasts.ts'

/** Signs out, and leaves no data of this operator for the next one. */
export function useSignOut() {
  return useMutation({
    mutationFn: signOut,
    onSuccess: () => startFresh(),
    onError: error => addFailure('You are still signed in', error),
  })
}
