import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Ban, IssuedKey, Key } from '../api/schema.ts'
import { changed } from './changed.ts'
import { pagesOf } from './pages.ts'

export interface KeyFilter {
  account?: string | undefined
  state?: string | undefined
  search?: string | undefined
  used?: string | undefined
  unusedSince?: string | undefined
  expiresBefore?: string | undefined
}

/** The properties of a key that operators choose. */
export interface KeyTerms {
  name?: string | undefined
  scope: Key['scope']
  networks?: string[] | undefined
}

export function keyPages(filter: KeyFilter) {
  return pagesOf<Key>('/keys', { ...filter })
}

export function keyQuery(id: string) {
  return queryOptions({
    queryKey: [`/keys/${id}`],
    queryFn: async ({ signal }) => (await call<Key>('GET', `/keys/${id}`, { signal })).value,
  })
}

export function keyBanPages(id: string) {
  return pagesOf<Ban>(`/keys/${id}/bans`, {})
}

export function useIssueKey() {
  return useChange(
    async ({ accountId, ...body }: KeyTerms & { accountId: bigint; expiresAt: string | undefined }) =>
      (await call<IssuedKey>('POST', `/accounts/${accountId}/keys`, { body })).value,
  )
}

export function useChangeKey(id: bigint) {
  return useChange((body: { name: string | null; scope: Key['scope']; networks: string[] | null }) =>
    call('PATCH', `/keys/${id}`, { body }),
  )
}

export function useRotateKey(id: bigint) {
  return useChange(
    async (overlapSeconds: number) =>
      (await call<IssuedKey>('POST', `/keys/${id}/rotate`, { body: { overlapSeconds } })).value,
  )
}

export function useRevokeKey(id: bigint) {
  return useChange(() => call('POST', `/keys/${id}/revoke`))
}

function useChange<Value, Wanted = void>(mutationFn: (wanted: Wanted) => Promise<Value>) {
  const client = useQueryClient()
  return useMutation({ mutationFn, onSettled: () => changed(client, '/keys', '/bans', '/audit') })
}
