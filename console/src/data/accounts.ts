import { keepPreviousData } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Account, AccountWithUsage, Usage, Windows } from '../api/schema.ts'
import type { Texts } from '../lib/search.ts'
import { pagesOf, REFETCH_MS, readPages, valueQuery } from './query.ts'
import { useCreate, useWrite } from './write.ts'

export type AccountFilter = Texts<'name' | 'plan' | 'state' | 'sort'>

/** The plan of an account. Only enterprise accounts have custom limits. */
export type PlanChoice = Pick<Account, 'plan'> & Partial<Pick<Account, 'perMinute' | 'perDay'>>

export function accountPages({ name, plan, state, sort }: AccountFilter) {
  return pagesOf<AccountWithUsage>('/accounts', { name, plan, state, sort }, 100, REFETCH_MS)
}

export function accountQuery(id: string) {
  return valueQuery<Account>(`/accounts/${encodeURIComponent(id)}`)
}

const GAUGE_INTERVAL_MS = 3_000

export function windowsQuery(id: string) {
  return valueQuery<Windows>(`/accounts/${id}/windows`, {}, { refetchInterval: GAUGE_INTERVAL_MS })
}

export function useCreateAccount() {
  return useCreate<Account, PlanChoice & { name: string }>(body => ['/accounts', body])
}

/** A change of an account, and the version that the operator saw when deciding on it. */
type Seen<Wanted> = Wanted & { etag: string }

export function useRenameAccount({ id }: Account) {
  return useWrite(({ name, etag }: Seen<{ name: string }>) =>
    call('PATCH', `/accounts/${id}`, { body: { name }, ifMatch: etag }),
  )
}

export function useSetPlan({ id }: Account) {
  return useWrite(({ etag, ...body }: Seen<PlanChoice>) => call('PUT', `/accounts/${id}/plan`, { body, ifMatch: etag }))
}

export function useSuspendAccount({ id, etag }: Account) {
  return useWrite((action: 'suspend' | 'resume') => call('POST', `/accounts/${id}/${action}`, { ifMatch: etag }))
}

export function useDeleteAccount({ id, etag }: Account) {
  return useWrite(
    () => call('DELETE', `/accounts/${id}`, { ifMatch: etag }),
    // Its page is still on screen, and can no longer be fetched.
    client => void client.invalidateQueries({ refetchType: 'none' }),
  )
}

/** The name of an account, given its id. A filter may have another text instead. */
export function accountNameQuery(account = '') {
  return { ...accountQuery(account), select: ({ name }: Account) => name, enabled: /^\d+$/.test(account) }
}

const MAX_SUGGESTIONS = 10

export function accountSuggestionsQuery(text: string) {
  const query = { name: text.trim(), sort: 'name', limit: MAX_SUGGESTIONS }
  return valueQuery<Account[]>('/accounts', query, {
    enabled: query.name !== '',
    placeholderData: keepPreviousData,
  })
}

/** The account with exactly this name, if there is one. */
export async function findAccount(name: string): Promise<Account | undefined> {
  const wanted = name.trim()
  if (wanted === '') return undefined
  for await (const accounts of readPages<Account>('/accounts', { name: wanted, limit: 100 })) {
    const found = accounts.find(account => account.name === wanted)
    if (found) return found
  }
  return undefined
}

/** The calls of an account by UTC day, oldest first, including days without calls. */
export function accountUsageQuery(account: string) {
  return valueQuery<Usage[]>('/usage', { account, by: 'day', fill: true })
}
