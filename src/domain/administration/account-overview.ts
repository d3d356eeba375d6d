import type { Account } from '../account.ts'
import type { ApiKey } from '../api-key.ts'
import type { Store } from '../store.ts'
import { dayOf, daysFrom, type UsageSum } from '../usage.ts'
import { findAccount } from './accounts.ts'
import { type BanOfKey, listBans } from './bans.ts'

/** An account with everything that operators usually want to know about it. */
export interface AccountOverview {
  account: Account
  /** By ascending id, in any state. */
  keys: ApiKey[]
  /** Only bans in force, newest first. */
  bans: BanOfKey[]
  /** The calls of the current UTC day. */
  today: Pick<UsageSum, 'admitted' | 'refused' | 'banned'>
}

/** @throws UserError when there is no such account */
export async function readOverview(store: Store, nameOrId: string, now: number): Promise<AccountOverview> {
  const account = await findAccount(store, nameOrId)
  const accountId = account.id
  const day = dayOf(now)
  const [keys, bans, [sum]] = await Promise.all([
    store.listKeys({ accountId }),
    listBans(store, { accountId, inForceAt: now }),
    store.sumUsage({ range: daysFrom(day, day), accountId, by: [] }),
  ])
  const { admitted, refused, banned } = sum ?? { admitted: 0, refused: 0, banned: 0 }
  return { account, keys, bans, today: { admitted, refused, banned } }
}
