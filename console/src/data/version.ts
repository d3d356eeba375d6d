import { keyOf } from './query-keys.ts'
import { valueOf } from './value.ts'

export const versionQuery = valueOf(keyOf('service', 'version'), '/version', {}, { staleTime: Number.POSITIVE_INFINITY })
