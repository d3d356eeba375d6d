import { call } from '../api/call.ts'
import type { IssuedSignInLink, IssuedToken, Token } from '../api/schema.ts'
import { type Expiry, instantOf } from '../lib/time.ts'
import { pagesOf } from './query.ts'
import { useCreate, useWrite } from './write.ts'

interface NewToken {
  name: string
  right: { role: string } | { source: string }
  expiry: Expiry
}

export const tokensQuery = pagesOf<Token>('/tokens')

export function useCreateToken() {
  return useCreate<IssuedToken, NewToken>(({ name, right, expiry }, at) => {
    return ['/tokens', { name, ...right, expiresAt: instantOf(expiry, at) }]
  })
}

export function useCreateSignInLink(tokenId: bigint) {
  return useCreate<IssuedSignInLink, number>(validForSeconds => [
    `/tokens/${tokenId}/sign-in-links`,
    { validForSeconds },
  ])
}

export function useRevokeToken() {
  return useWrite((id: bigint) => call('POST', `/tokens/${id}/revoke`))
}
