import { useSyncExternalStore } from 'react'

/** Whether a media query matches, as it does now. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    listener => {
      const media = matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    () => matchMedia(query).matches,
  )
}
