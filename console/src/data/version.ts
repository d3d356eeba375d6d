import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Version } from '../api/schema.ts'

export const versionQuery = queryOptions({
  queryKey: ['version'],
  queryFn: async ({ signal }) => (await call<Version>('GET', '/version', { signal })).value,
  staleTime: Number.POSITIVE_INFINITY,
})
