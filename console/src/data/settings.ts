import { keyOf } from './query-keys.ts'
import { valueQuery } from './value-query.ts'

/** A change needs a restart. */
export const settingsQuery = valueQuery(keyOf('service', 'settings'), '/settings', {}, { staleTime: 60_000 })
