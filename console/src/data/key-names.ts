import { keyOf } from './query-keys.ts'
import { valueOf } from './value.ts'

/** The keys of an account, to choose one from. */
export function keyNamesQuery(account: string | undefined) {
  const query = { account, limit: 100 }
  return valueOf(keyOf('keys', 'names', account), '/keys', query, { enabled: account !== undefined, retry: false })
}
