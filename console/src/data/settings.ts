import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Setting } from '../api/schema.ts'

export const settingsQuery = queryOptions({
  queryKey: ['/settings', {}],
  queryFn: async ({ signal }) => (await call<Setting[]>('GET', '/settings', { signal })).value,
  // A change needs a restart.
  staleTime: 60_000,
})
