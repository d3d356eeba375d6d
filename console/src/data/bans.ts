import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Ban } from '../api/schema.ts'
import { changed } from './changed.ts'
import { pagesOf } from './pages.ts'

interface BanFilter {
  state?: string | undefined
  account?: string | undefined
}

const FRESH_MS = 15_000

export function bansQuery(filter: BanFilter) {
  // Bans end with time, and no event reports it.
  return infiniteQueryOptions({ ...pagesOf<Ban>('/bans', { ...filter }), refetchInterval: FRESH_MS })
}

export function useLiftBan() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (id: bigint) => (await call<Ban>('POST', `/bans/${id}/lift`)).value,
    // Even after a refusal: someone else may have been faster.
    onSettled: () => changed(client, '/bans', '/keys', '/audit'),
  })
}
