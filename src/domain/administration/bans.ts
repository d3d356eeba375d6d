import type { ApiKey } from '../api-key.ts'
import { type Ban, isInForce } from '../ban.ts'
import { UserError } from '../errors.ts'
import type { AccountStore, BanQuery } from '../store/accounts.ts'
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
  const bans = await store.listBans({ ...query, inForceAt: now })
  const keys = await Promise.all(bans.map(ban => store.findKey(ban.keyId)))
  return bans.flatMap((ban, index) => {
    const key = keys[index]
    return key ? [{ ban, key }] : []
  })
}

/** Ends the ban of a key at once. It still counts towards the length of the next one. */
export async function liftBan(context: AdminContext, keyId: string): Promise<BanOfKey> {
  const { store, now } = context
  const key = await findKey(store, keyId)
  const ban = await store.findBan(key.id)
  const entry = entryOf(context, 'ban.lift', { key: String(key.id), name: key.name, hint: key.hint }, key.accountId)
  if (!ban || !isInForce(ban, now) || !(await store.liftBan(ban.id, entry))) {
    throw new UserError('conflict', `Key ${key.id} is not banned.`)
  }
  return { ban: { ...ban, liftedAt: now }, key }
}
