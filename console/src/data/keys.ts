import { call } from '../api/call.ts'
import type { IssuedKey, Key } from '../api/schema.ts'
import { type Expiry, instantOf } from '../lib/expiry.ts'
import type { Zone } from '../lib/time.ts'
import { useCreate } from './create.ts'
import { pagesOf } from './pages.ts'
import { cacheKey } from './query-keys.ts'
import { refresh } from './refresh.ts'
import { valueQuery } from './value-query.ts'
import { type Upkeep, useWrite } from './write.ts'

export interface KeyFilter {
  account?: string | undefined
  state?: string | undefined
  search?: string | undefined
  used?: string | undefined
  unusedSince?: string | undefined
  expiresBefore?: string | undefined
}

/** The properties of a key that operators choose. */
export interface NewKeyTerms {
  accountId: bigint
  name?: string | undefined
  scope: Key['scope']
  networks?: string[] | undefined
  expiry: Expiry
  zone: Zone
}

export function keyPages(filter: KeyFilter) {
  return pagesOf(cacheKey('keys', 'pages', filter), '/keys', { ...filter })
}

export function keyQuery(id: string) {
  return valueQuery(cacheKey('keys', 'one', id), `/keys/${id}`)
}

export function keyBanPages(id: string) {
  return pagesOf(cacheKey('keys', 'bans', id), `/keys/${id}/bans`)
}

export function useIssueKey() {
  return useCreate(async ({ accountId, expiry, zone, ...terms }: NewKeyTerms, { idempotencyKey, at }) => {
    const body = { ...terms, expiresAt: instantOf(expiry, zone, at) }
    return (await call<IssuedKey>('POST', `/accounts/${accountId}/keys`, { body, idempotencyKey })).value
  }, upkeep)
}

export function useChangeKey(id: bigint) {
  return useWrite(
    (body: { name: string | null; scope: Key['scope']; networks: string[] | null }) =>
      call('PATCH', `/keys/${id}`, { body }),
    upkeep,
  )
}

export function useRotateKey(id: bigint) {
  return useCreate(
    async (overlapSeconds: number, { idempotencyKey }) =>
      (await call<IssuedKey>('POST', `/keys/${id}/rotate`, { body: { overlapSeconds }, idempotencyKey })).value,
    upkeep,
  )
}

export function useRevokeKey(id: bigint) {
  return useWrite(() => call('POST', `/keys/${id}/revoke`), upkeep)
}

const upkeep: Upkeep<unknown> = client => refresh(client, 'keys', 'bans', 'audit')
