import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Doctor, Health } from '../api/schema.ts'

export const healthQuery = queryOptions({
  queryKey: ['/health', {}],
  queryFn: ({ signal }) => readHealth(signal),
  refetchInterval: 15_000,
})

/** The checks may take a while, so they only run again on request. */
export const doctorQuery = queryOptions({
  queryKey: ['/doctor', {}],
  queryFn: async ({ signal }) => (await call<Doctor>('GET', '/doctor', { signal })).value,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
})

export async function readHealth(signal: AbortSignal): Promise<Health> {
  return (await call<Health>('GET', '/health', { signal })).value
}
