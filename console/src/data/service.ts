import { call } from '../api/call.ts'
import type { Health } from '../api/schema.ts'
import { valueQuery } from './query.ts'
import { cacheKey } from './query-keys.ts'

export const versionQuery = valueQuery(
  cacheKey('service', 'version'),
  '/version',
  {},
  { staleTime: Number.POSITIVE_INFINITY },
)

/** No event reports a change of it. */
export const healthQuery = valueQuery(cacheKey('service', 'health'), '/health', {}, { refetchInterval: 15_000 })

/** The checks may take a while, so they only run again on request. */
export const doctorQuery = valueQuery(
  cacheKey('service', 'doctor'),
  '/doctor',
  {},
  {
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  },
)

export async function readHealth(signal: AbortSignal): Promise<Health> {
  return (await call<Health>('GET', '/health', { signal })).value
}

/** A change needs a restart. */
export const settingsQuery = valueQuery(cacheKey('service', 'settings'), '/settings', {}, { staleTime: 60_000 })
