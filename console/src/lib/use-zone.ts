import { usePreference } from './preferences.ts'
import type { Zone } from './time.ts'

const ZONES: readonly [Zone, Zone] = ['local', 'utc']

/** Whether times are shown in the browser's time zone or in UTC. */
export function useZone() {
  return usePreference('zone', ZONES)
}
