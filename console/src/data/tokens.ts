import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { IssuedToken, Token } from '../api/schema.ts'
import { changed } from './changed.ts'
import { pagesOf } from './pages.ts'

interface NewToken {
  name: string
  role: string
  expiresAt?: string | undefined
}

export const tokensQuery = pagesOf<Token>('/tokens', {})

export function useCreateToken() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (wanted: NewToken) => (await call<IssuedToken>('POST', '/tokens', { body: wanted })).value,
    onSuccess: () => changed(client, '/tokens'),
  })
}

export function useRevokeToken() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (id: bigint) => (await call<Token>('POST', `/tokens/${id}/revoke`)).value,
    onSettled: () => changed(client, '/tokens'),
  })
}
