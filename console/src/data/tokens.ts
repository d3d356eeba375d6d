import { call } from '../api/call.ts'
import type { IssuedSignInLink, IssuedToken, Token } from '../api/schema.ts'
import { type Expiry, instantOf, type Zone } from '../lib/time.ts'
import { pagesOf } from './query.ts'
import { cacheKey } from './query-keys.ts'
import { refresh, type Upkeep, useCreate, useWrite } from './write.ts'

interface NewToken {
  name: string
  right: { role: string } | { source: string }
  expiry: Expiry
  zone: Zone
}

export const tokensQuery = pagesOf(cacheKey('tokens', 'pages'), '/tokens')

export function useCreateToken() {
  return useCreate(async ({ name, right, expiry, zone }: NewToken, { idempotencyKey, at }) => {
    const body = { name, ...right, expiresAt: instantOf(expiry, zone, at) }
    return (await call<IssuedToken>('POST', '/tokens', { body, idempotencyKey })).value
  }, upkeep)
}

export function useCreateSignInLink(tokenId: bigint) {
  return useCreate(async (validForSeconds: number, { idempotencyKey }) => {
    const path = `/tokens/${tokenId}/sign-in-links`
    return (await call<IssuedSignInLink>('POST', path, { body: { validForSeconds }, idempotencyKey })).value
  }, upkeep)
}

export function useRevokeToken() {
  return useWrite(async (id: bigint) => (await call<Token>('POST', `/tokens/${id}/revoke`)).value, upkeep)
}

const upkeep: Upkeep<unknown> = client => refresh(client, 'tokens')
