import type { Doctor, Health, Setting, Version } from '../api/schema.ts'
import { valueQuery } from './query.ts'

const FOREVER = { staleTime: Number.POSITIVE_INFINITY }

export const versionQuery = valueQuery<Version>('/version', {}, FOREVER)

/** No event reports a change of it. */
export const healthQuery = valueQuery<Health>('/health', {}, { refetchInterval: 15_000 })

/** The checks may take a while, so they only run again on request. */
export const doctorQuery = {
  ...valueQuery<Doctor>('/doctor', {}, FOREVER),
  gcTime: Number.POSITIVE_INFINITY,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
}

/** A change needs a restart. */
export const settingsQuery = valueQuery<Setting[]>('/settings', {}, { staleTime: 60_000 })
