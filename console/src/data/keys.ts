import { call } from '../api/call.ts'
import type { Ban, FoundSecret, IssuedClaimLink, IssuedKey, Key } from '../api/schema.ts'
import { type Expiry, instantOf, type Zone } from '../lib/time.ts'
import { pagesOf, valueQuery } from './query.ts'
import { cacheKey } from './query-keys.ts'
import { refresh, type Upkeep, useCreate, useWrite } from './write.ts'

export interface KeyFilter {
  account?: string | undefined
  state?: string | undefined
  search?: string | undefined
  used?: string | undefined
  unusedSince?: string | undefined
  expiresBefore?: string | undefined
}

/** The properties of a key that operators choose. */
interface NewKeyTerms {
  accountId: bigint
  name?: string | undefined
  scope: Key['scope']
  networks?: string[] | undefined
  /** A choice, or an instant. */
  expiry: Expiry | string
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

/** Whose a secret is. It goes nowhere but into the body of this call. */
export async function findSecret(secret: string): Promise<FoundSecret> {
  return (await call<FoundSecret>('POST', '/keys/find', { body: { secret } })).value
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

/** The keys of an account, to choose one from. */
export function keyNamesQuery(account: string | undefined) {
  const query = { account, limit: 100 }
  return valueQuery(cacheKey('keys', 'names', account), '/keys', query, {
    enabled: account !== undefined,
    retry: false,
  })
}

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
  }, linkUpkeep)
}

export function useRevokeClaimLink(id: bigint) {
  return useWrite(() => call('POST', `/claim-links/${id}/revoke`), linkUpkeep)
}

const linkUpkeep: Upkeep<unknown> = client => refresh(client, 'claimLinks', 'audit')

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
