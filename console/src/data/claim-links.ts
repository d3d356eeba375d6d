import { call } from '../api/call.ts'
import type { IssuedClaimLink } from '../api/schema.ts'
import { instantOf } from '../lib/expiry.ts'
import { useCreate } from './create.ts'
import type { NewKeyTerms } from './keys.ts'
import { pagesOf } from './pages.ts'
import { cacheKey } from './query-keys.ts'
import { refresh } from './refresh.ts'
import { type Upkeep, useWrite } from './write.ts'

export function claimLinkPages(filter: { account?: string | undefined; state?: string | undefined }) {
  return pagesOf(cacheKey('claimLinks', 'pages', filter), '/claim-links', { ...filter })
}

interface NewClaimLink extends NewKeyTerms {
  validForSeconds: number
}

export function useCreateClaimLink() {
  return useCreate(async ({ accountId, expiry, zone, ...terms }: NewClaimLink, { idempotencyKey, at }) => {
    const body = { ...terms, keyExpiresAt: instantOf(expiry, zone, at) }
    return (await call<IssuedClaimLink>('POST', `/accounts/${accountId}/claim-links`, { body, idempotencyKey })).value
  }, upkeep)
}

export function useRevokeClaimLink(id: bigint) {
  return useWrite(() => call('POST', `/claim-links/${id}/revoke`), upkeep)
}

const upkeep: Upkeep<unknown> = client => refresh(client, 'claimLinks', 'audit')
