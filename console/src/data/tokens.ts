import { call, fetchValue } from '../api/call.ts'
import type { IssuedSignInLink, IssuedToken, Token } from '../api/schema.ts'
import { type Expiry, instantOf, type Zone } from '../lib/time.ts'
import { pagesOf } from './query.ts'
import { refresh, type Upkeep, useCreate, useWrite } from './write.ts'

interface NewToken {
  name: string
  right: { role: string } | { source: string }
  expiry: Expiry
  zone: Zone
}

export const tokensQuery = pagesOf<Token>('/tokens')

export function useCreateToken() {
  return useCreate(({ name, right, expiry, zone }: NewToken, { idempotencyKey, at }) => {
    const body = { name, ...right, expiresAt: instantOf(expiry, zone, at) }
    return fetchValue<IssuedToken>('POST', '/tokens', { body, idempotencyKey })
  }, upkeep)
}

export function useCreateSignInLink(tokenId: bigint) {
  return useCreate((validForSeconds: number, { idempotencyKey }) => {
    const path = `/tokens/${tokenId}/sign-in-links`
    return fetchValue<IssuedSignInLink>('POST', path, { body: { validForSeconds }, idempotencyKey })
  }, upkeep)
}

export function useRevokeToken() {
  return useWrite((id: bigint) => call('POST', `/tokens/${id}/revoke`), upkeep)
}

const upkeep: Upkeep<unknown> = client => refresh(client, 'tokens')
