import { useSyncExternalStore } from 'react'
import { useTheme } from './use-theme.ts'

const dark = matchMedia('(prefers-color-scheme: dark)')

/** The current colour scheme. For drawings, which do not follow a change of the theme automatically. */
export function useScheme(): 'light' | 'dark' {
  const [theme] = useTheme()
  const isDark = useSyncExternalStore(subscribe, () => dark.matches)
  return theme === 'system' ? (isDark ? 'dark' : 'light') : theme
}

function subscribe(listener: () => void): () => void {
  dark.addEventListener('change', listener)
  return () => dark.removeEventListener('change', listener)
}
