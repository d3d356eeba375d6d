import { keyOf } from './query-keys.ts'
import { valueQuery } from './value-query.ts'

export const versionQuery = valueQuery(
  keyOf('service', 'version'),
  '/version',
  {},
  { staleTime: Number.POSITIVE_INFINITY },
)
