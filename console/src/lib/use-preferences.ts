import { useLayoutEffect, useSyncExternalStore } from 'react'
import { recall, remember, subscribeToPreferences } from './preferences.ts'
import type { Zone } from './time.ts'

/** One of several values; the first one until the reader has chosen. */
function usePreference<Value extends string>(name: string, values: readonly [Value, ...Value[]]) {
  const read = () => values.find(value => value === recall(name)) ?? values[0]
  const value = useSyncExternalStore(subscribeToPreferences, read)
  return [value, (chosen: Value) => remember(name, chosen)] as const
}

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

/** Whether lists show how long ago something was, or when exactly. */
export function useTimes() {
  return usePreference('times', ['relative', 'exact'])
}

export function useZone() {
  return usePreference<Zone>('zone', ['local', 'utc'])
}
