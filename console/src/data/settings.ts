import { cacheKey } from './query-keys.ts'
import { valueQuery } from './value-query.ts'

/** A change needs a restart. */
export const settingsQuery = valueQuery(cacheKey('service', 'settings'), '/settings', {}, { staleTime: 60_000 })
