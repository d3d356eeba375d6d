import { usePreference } from './use-preference.ts'

const STYLES: readonly ['relative', 'exact'] = ['relative', 'exact']

/** Whether lists show how long ago something was, or when exactly. */
export function useTimes() {
  return usePreference('times', STYLES)
}
