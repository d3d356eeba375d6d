import { queryOptions, skipToken } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Account } from '../api/schema.ts'

/** The name of an account that is given by its id or its name; also of one that is gone. */
export function accountNameQuery(account: string | undefined) {
  const isId = account !== undefined && /^\d+$/.test(account)
  return queryOptions({
    queryKey: [`/accounts/${account}`, 'name'],
    queryFn: isId
      ? async ({ signal }) => (await call<Account>('GET', `/accounts/${account}`, { signal })).value.name
      : skipToken,
    retry: false,
  })
}

/** A few accounts whose names contain a text. */
export function suggestedAccountsQuery(text: string | undefined) {
  const query = { name: text, sort: 'name', limit: 20 }
  return queryOptions({
    queryKey: ['/accounts', query],
    queryFn: text
      ? async ({ signal }) => (await call<Account[]>('GET', '/accounts', { query, signal })).value
      : skipToken,
    placeholderData: previous => previous,
  })
}
