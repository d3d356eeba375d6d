import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Account, Plan, Windows } from '../api/schema.ts'
import { changed } from './changed.ts'
import { pagesOf } from './pages.ts'

export interface AccountFilter {
  name?: string | undefined
  plan?: string | undefined
  state?: string | undefined
  sort?: string | undefined
}

/** The plan of an account. Only enterprise accounts have custom limits. */
export interface PlanChoice {
  plan: Plan
  perMinute?: number
  perDay?: number
}

export function accountPages({ name, plan, state, sort }: AccountFilter) {
  return pagesOf<Account>('/accounts', { name, plan, state, sort })
}

export function accountQuery(id: string) {
  return queryOptions({
    queryKey: [`/accounts/${id}`],
    queryFn: async ({ signal }) => (await call<Account>('GET', `/accounts/${id}`, { signal })).value,
  })
}

const GAUGE_INTERVAL_MS = 3_000

export function windowsQuery(id: string) {
  return queryOptions({
    queryKey: [`/accounts/${id}/windows`],
    queryFn: async ({ signal }) => (await call<Windows>('GET', `/accounts/${id}/windows`, { signal })).value,
    refetchInterval: GAUGE_INTERVAL_MS,
  })
}

export function useCreateAccount() {
  return useChange(
    async (body: PlanChoice & { name: string }) => (await call<Account>('POST', '/accounts', { body })).value,
  )
}

/** A change of an account, and the version that the operator saw when deciding on it. */
type Seen<Wanted> = Wanted & { etag: string }

export function useRenameAccount({ id }: Account) {
  return useChange(({ name, etag }: Seen<{ name: string }>) =>
    call('PATCH', `/accounts/${id}`, { body: { name }, ifMatch: etag }),
  )
}

export function useSetPlan({ id }: Account) {
  return useChange(({ etag, ...body }: Seen<PlanChoice>) =>
    call('PUT', `/accounts/${id}/plan`, { body, ifMatch: etag }),
  )
}

export function useSuspendAccount({ id, etag }: Account) {
  return useChange((action: 'suspend' | 'resume') => call('POST', `/accounts/${id}/${action}`, { ifMatch: etag }))
}

export function useDeleteAccount({ id, etag }: Account) {
  return useMutation({ mutationFn: () => call('DELETE', `/accounts/${id}`, { ifMatch: etag }) })
}

/** Refreshes the list, even after a refusal: someone else may have been faster. */
function useChange<Value, Wanted>(mutationFn: (wanted: Wanted) => Promise<Value>) {
  const client = useQueryClient()
  return useMutation({ mutationFn, onSettled: () => changed(client, '/accounts', '/keys', '/audit') })
}
