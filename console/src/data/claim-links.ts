import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { ClaimLink, IssuedClaimLink } from '../api/schema.ts'
import { changed } from './changed.ts'
import type { KeyTerms } from './keys.ts'
import { pagesOf } from './pages.ts'

export function claimLinkPages(filter: { account?: string | undefined; state?: string | undefined }) {
  return pagesOf<ClaimLink>('/claim-links', { ...filter })
}

interface NewClaimLink extends KeyTerms {
  accountId: bigint
  keyExpiresAt: string | undefined
  validForSeconds: number
}

export function useCreateClaimLink() {
  return useChange(
    async ({ accountId, ...body }: NewClaimLink) =>
      (await call<IssuedClaimLink>('POST', `/accounts/${accountId}/claim-links`, { body })).value,
  )
}

export function useRevokeClaimLink(id: bigint) {
  return useChange(() => call('POST', `/claim-links/${id}/revoke`))
}

function useChange<Value, Wanted = void>(mutationFn: (wanted: Wanted) => Promise<Value>) {
  const client = useQueryClient()
  return useMutation({ mutationFn, onSettled: () => changed(client, '/claim-links', '/audit') })
}
