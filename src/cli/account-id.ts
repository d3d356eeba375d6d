import { findAccount } from '../domain/administration/accounts.ts'
import { parseInt64 } from '../domain/int64.ts'
import type { Store } from '../domain/store.ts'

/** The id of an account whose past is asked for. An id is taken as it is: the account may have been deleted since. */
export async function findAccountId(store: Store, nameOrId: string): Promise<bigint> {
  return parseInt64(nameOrId) ?? (await findAccount(store, nameOrId)).id
}
