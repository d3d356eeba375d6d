import { call } from '../api/call.ts'
import type { Ban } from '../api/schema.ts'
import { pagesOf } from './query.ts'
import { cacheKey } from './query-keys.ts'
import { refresh, useWrite } from './write.ts'

const FRESH_MS = 15_000

export function bansQuery({ state, account }: { state?: string | undefined; account?: string | undefined }) {
  const filter = { state, account }
  // Bans end with time, and no event reports it.
  return { ...pagesOf(cacheKey('bans', 'pages', filter), '/bans', filter), refetchInterval: FRESH_MS }
}

export function useLiftBan() {
  return useWrite(
    async (id: bigint) => (await call<Ban>('POST', `/bans/${id}/lift`)).value,
    // Even after a refusal: someone else may have been faster.
    client => refresh(client, 'bans', 'keys', 'audit'),
  )
}
