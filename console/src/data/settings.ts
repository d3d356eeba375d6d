import { keyOf } from './query-keys.ts'
import { valueOf } from './value.ts'

/** A change needs a restart. */
export const settingsQuery = valueOf(keyOf('service', 'settings'), '/settings', {}, { staleTime: 60_000 })
