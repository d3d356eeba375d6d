import { cacheKey } from './query-keys.ts'
import { valueQuery } from './value-query.ts'

export const versionQuery = valueQuery(
  cacheKey('service', 'version'),
  '/version',
  {},
  { staleTime: Number.POSITIVE_INFINITY },
)
