import { useMutation } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Account, Plan } from '../api/schema.ts'
import { useCreate } from './create.ts'
import { pagesOf } from './pages.ts'
import { cacheKey } from './query-keys.ts'
import { refresh } from './refresh.ts'
import { valueQuery } from './value-query.ts'
import { type Upkeep, useWrite } from './write.ts'

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
  const filter = { name, plan, state, sort }
  return pagesOf(cacheKey('accounts', 'pages', filter), '/accounts', filter)
}

export function accountQuery(id: string) {
  return valueQuery(cacheKey('accounts', 'one', id), `/accounts/${id}`)
}

const GAUGE_INTERVAL_MS = 3_000

export function windowsQuery(id: string) {
  const every = { refetchInterval: GAUGE_INTERVAL_MS }
  return valueQuery(cacheKey('accounts', 'windows', id), `/accounts/${id}/windows`, {}, every)
}

export function useCreateAccount() {
  return useCreate(
    async (body: PlanChoice & { name: string }, { idempotencyKey }) =>
      (await call<Account>('POST', '/accounts', { body, idempotencyKey })).value,
    upkeep,
  )
}

/** A change of an account, and the version that the operator saw when deciding on it. */
type Seen<Wanted> = Wanted & { etag: string }

export function useRenameAccount({ id }: Account) {
  return useWrite(
    ({ name, etag }: Seen<{ name: string }>) => call('PATCH', `/accounts/${id}`, { body: { name }, ifMatch: etag }),
    upkeep,
  )
}

export function useSetPlan({ id }: Account) {
  return useWrite(
    ({ etag, ...body }: Seen<PlanChoice>) => call('PUT', `/accounts/${id}/plan`, { body, ifMatch: etag }),
    upkeep,
  )
}

export function useSuspendAccount({ id, etag }: Account) {
  return useWrite(
    (action: 'suspend' | 'resume') => call('POST', `/accounts/${id}/${action}`, { ifMatch: etag }),
    upkeep,
  )
}

export function useDeleteAccount({ id, etag }: Account) {
  return useMutation({ mutationFn: () => call('DELETE', `/accounts/${id}`, { ifMatch: etag }) })
}

/** Even after a refusal: someone else may have been faster. */
const upkeep: Upkeep<unknown> = client => refresh(client, 'accounts', 'keys', 'audit')
