import type { ApiKey } from '../api-key.ts'
import { type Ban, isInForce } from '../ban.ts'
import { Mistake } from '../errors.ts'
import type { BanQuery, Store } from '../store.ts'
import { type Acting, entryOf } from './acting.ts'
import { findKey } from './keys.ts'

/** A ban, told with the key it is about. */
export interface BanOfKey {
  ban: Ban
  key: ApiKey
}

/** The bans in force, newest first. */
export async function listBans(
  store: Store,
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

/** Ends the ban of a key at once. It still counts as one when the key's next ban is measured. */
export async function liftBan(acting: Acting, keyId: string): Promise<BanOfKey> {
  const { store, now } = acting
  const key = await findKey(store, keyId)
  const ban = await store.findBan(key.id)
  const details = { key: String(key.id), name: key.name, hint: key.hint }
  if (
    !ban ||
    !isInForce(ban, now) ||
    !(await store.liftBan(ban.id, entryOf(acting, 'ban.lift', details, key.accountId)))
  ) {
    throw new Mistake('conflict', `Key ${key.id} is not banned.`)
  }
  return { ban: { ...ban, liftedAt: now }, key }
}
