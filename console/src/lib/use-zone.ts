import type { Zone } from './time.ts'
import { usePreference } from './use-preference.ts'

const ZONES: readonly [Zone, Zone] = ['local', 'utc']

/** Whether times are shown in the browser's time zone or in UTC. */
export function useZone() {
  return usePreference('zone', ZONES)
}
