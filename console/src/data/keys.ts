import { call, fetchValue } from '../api/call.ts'
import type { Ban, ClaimLink, FoundSecret, IssuedClaimLink, IssuedKey, Key } from '../api/schema.ts'
import type { Texts } from '../lib/search.ts'
import { type Expiry, instantOf } from '../lib/time.ts'
import { pagesOf, valueQuery } from './query.ts'
import { useCreate, useWrite } from './write.ts'

export type KeyFilter = Texts<'account' | 'state' | 'search' | 'used' | 'unusedSince' | 'expiresBefore'>

/** The properties of a key that operators choose. */
interface NewKeyTerms {
  accountId: bigint
  name?: string | undefined
  scope: Key['scope']
  networks?: string[] | undefined
  /** A choice, or an instant. */
  expiry: Expiry | string
}

export function keyPages(filter: KeyFilter) {
  return pagesOf<Key>('/keys', { ...filter })
}

export function keyQuery(id: string) {
  return valueQuery<Key>(`/keys/${encodeURIComponent(id)}`)
}

export function keyBanPages(id: string) {
  return pagesOf<Ban>(`/keys/${id}/bans`)
}

/** Whose a secret is. It goes nowhere but into the body of this call. */
export function findSecret(secret: string): Promise<FoundSecret> {
  return fetchValue('POST', '/keys/find', { body: { secret } })
}

export function useIssueKey() {
  return useCreate<IssuedKey, NewKeyTerms>(({ accountId, expiry, ...terms }, at) => {
    return [`/accounts/${accountId}/keys`, { ...terms, expiresAt: instantOf(expiry, at) }]
  })
}

export function useChangeKey(id: bigint) {
  return useWrite((body: Partial<Pick<Key, 'name' | 'scope' | 'networks'>>) => call('PATCH', `/keys/${id}`, { body }))
}

export function useRotateKey(id: bigint) {
  return useCreate<IssuedKey, number>(overlapSeconds => [`/keys/${id}/rotate`, { overlapSeconds }])
}

export function useRevokeKey(id: bigint) {
  return useWrite(() => call('POST', `/keys/${id}/revoke`))
}

export function keyNamesQuery(account: string | undefined) {
  return valueQuery<Key[]>('/keys', { account, limit: 100 }, { enabled: account !== undefined, retry: false })
}

export function claimLinkPages(filter: Texts<'account' | 'state'>) {
  return pagesOf<ClaimLink>('/claim-links', { ...filter })
}

interface NewClaimLink extends NewKeyTerms {
  validForSeconds: number
}

export function useCreateClaimLink() {
  return useCreate<IssuedClaimLink, NewClaimLink>(({ accountId, expiry, ...terms }, at) => {
    return [`/accounts/${accountId}/claim-links`, { ...terms, keyExpiresAt: instantOf(expiry, at) }]
  })
}

export function useRevokeClaimLink(id: bigint) {
  return useWrite(() => call('POST', `/claim-links/${id}/revoke`))
}

const FRESH_MS = 15_000

export function bansQuery({ state, account }: Texts<'state' | 'account'>) {
  // Bans end with time, and no event reports it.
  return pagesOf<Ban>('/bans', { state, account }, 100, FRESH_MS)
}

export function useLiftBan() {
  return useWrite((id: bigint) => call('POST', `/bans/${id}/lift`))
}
