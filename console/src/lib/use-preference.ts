import { useSyncExternalStore } from 'react'
import { recall, remember, subscribeToPreferences } from './preferences.ts'

/** One of several values; the first one until the reader has chosen. */
export function usePreference<Value extends string>(name: string, values: readonly [Value, ...Value[]]) {
  const read = () => values.find(value => value === recall(name)) ?? values[0]
  const value = useSyncExternalStore(subscribeToPreferences, read)
  return [value, (chosen: Value) => remember(name, chosen)] as const
}
