import { keepPreviousData, skipToken } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Account } from '../api/schema.ts'
import { queryOf } from './query.ts'
import { cacheKey } from './query-keys.ts'
import { valueQuery } from './value-query.ts'

/** The name of an account, given its id or name; works for deleted accounts too. */
export function accountNameQuery(account: string | undefined) {
  const isId = account !== undefined && /^\d+$/.test(account)
  return queryOf({
    queryKey: cacheKey('accounts', 'name', account),
    queryFn: isId
      ? async ({ signal }) => (await call<Account>('GET', `/accounts/${account}`, { signal })).value.name
      : skipToken,
    retry: false,
  })
}

const MAX_SUGGESTIONS = 10

/** A few accounts whose names contain a text. */
export function accountSuggestionsQuery(text: string) {
  const query = { name: text.trim(), sort: 'name', limit: MAX_SUGGESTIONS }
  return valueQuery(cacheKey('accounts', 'found', query), '/accounts', query, {
    enabled: query.name !== '',
    placeholderData: keepPreviousData,
  })
}

/** The account with exactly this name, if there is one. */
export async function findAccount(name: string): Promise<Account | undefined> {
  const query = { name: name.trim() || undefined, sort: 'name', limit: 100 }
  const { value } = await call<Account[]>('GET', '/accounts', { query })
  return value.find(account => account.name === name.trim())
}
