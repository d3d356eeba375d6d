import { useLayoutEffect } from 'react'
import { usePreference } from './use-preference.ts'

export const THEMES = ['system', 'light', 'dark'] as const

/** The theme that the reader has chosen, here or on the documentation's pages. */
export function useTheme() {
  const [theme, setTheme] = usePreference('theme', THEMES)
  useLayoutEffect(() => {
    const { dataset } = document.documentElement
    if (theme === 'system') delete dataset.theme
    else dataset.theme = theme
  }, [theme])
  return [theme, setTheme] as const
}
