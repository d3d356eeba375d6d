import type { ApiKey } from '../api-key.ts'
import { type Ban, isInForce } from '../ban.ts'
import { UserError } from '../errors.ts'
import type { AccountStore, BanQuery } from '../store/accounts.ts'
import { isoTime } from '../time.ts'
import { type AdminContext, entryOf } from './context.ts'
import { findKey } from './keys.ts'

/** A ban and its key. */
export interface BanOfKey {
  ban: Ban
  key: ApiKey
}

/** The bans in force, newest first. */
export async function listBans(
  store: AccountStore,
  now: number,
  query: Omit<BanQuery, 'inForceAt'> = {},
): Promise<BanOfKey[]> {
  return withKeys(store, await store.listBans({ ...query, inForceAt: now }))
}

/** All bans, including those that are over, newest first. */
export async function listBanHistory(store: AccountStore, query: Omit<BanQuery, 'inForceAt'>): Promise<BanOfKey[]> {
  return withKeys(store, await store.listBanHistory(query))
}

/** Omits bans whose keys have been deleted in the meantime. */
async function withKeys(store: AccountStore, bans: readonly Ban[]): Promise<BanOfKey[]> {
  const ids = [...new Set(bans.map(({ keyId }) => keyId))]
  const keys = new Map(await Promise.all(ids.map(async id => [id, await store.findKey(id)] as const)))
  return bans.flatMap(ban => {
    const key = keys.get(ban.keyId)
    return key ? [{ ban, key }] : []
  })
}

/** Ends the ban of a key immediately. It still counts towards the length of the next ban. */
export async function liftBan(context: AdminContext, keyId: string): Promise<BanOfKey> {
  const { store, now } = context
  const key = await findKey(store, keyId)
  const ban = await store.findBan(key.id)
  const entry = entryOf(context, 'ban.lift', {
    accountId: key.accountId,
    details: { keyId: key.id, name: key.name, hint: key.hint },
    before: { liftedAt: null },
    after: { liftedAt: isoTime(now) },
  })
  if (!ban || !isInForce(ban, now) || !(await store.liftBan(ban.id, entry))) {
    throw new UserError('conflict', `Key ${key.id} is not banned.`)
  }
  return { ban: { ...ban, liftedAt: now }, key: { ...key, banEndsAt: now } }
}
