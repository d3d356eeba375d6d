import type { ApiKey } from '../api-key.ts'
import { type Ban, isInForce } from '../ban.ts'
import { conflict } from '../errors.ts'
import { matchesNetwork } from '../networks.ts'
import type { AccountStore, BanQuery } from '../store/accounts.ts'
import { isoTime } from '../time.ts'
import { type AdminContext, entryOf, findById, noSuch } from './context.ts'
import { findKey } from './keys.ts'

export interface BanOfKey {
  ban: Ban
  key: ApiKey
}

/** Newest first. */
export async function listBans(store: AccountStore, query: BanQuery): Promise<BanOfKey[]> {
  return withKeys(store, await store.listBans(query))
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

/** Ends a ban immediately. It still counts towards the length of the next ban. */
export async function liftBan(context: AdminContext, banId: string): Promise<BanOfKey> {
  const ban = await findById('ban', banId, id => context.store.findBan(id))
  const key = await context.store.findKey(ban.keyId)
  if (!key) throw noSuch('ban', banId)
  const lifted = await lift(context, ban, key)
  if (!lifted) throw conflict(`Ban ${banId} is not in force.`)
  return lifted
}

/**
 * Ends the bans of a key immediately, newest first; at least one.
 * @param source only its ban; of an IPv6 network, any address in it will do
 */
export async function liftBansOfKey(
  context: AdminContext,
  keyId: string,
  source?: string,
): Promise<[BanOfKey, ...BanOfKey[]]> {
  const { store, now } = context
  const key = await findKey(store, keyId)
  const bans = await store.listBans({ keyId: key.id, inForceAt: now })
  const lifted: BanOfKey[] = []
  for (const ban of bans.filter(ban => source === undefined || isOf(source, ban.source))) {
    const one = await lift(context, ban, key)
    if (one) lifted.push(one)
  }
  const [newest, ...others] = lifted
  if (newest) return [newest, ...others]
  const where = source === undefined ? '' : ` for ${source}`
  throw conflict(`Key ${key.id} is not banned${where}.`)
}

function isOf(given: string, source: string | undefined): boolean {
  return given === source || (source !== undefined && matchesNetwork(given, source))
}

/** Undefined if the ban is not in force. */
async function lift(context: AdminContext, ban: Ban, key: ApiKey): Promise<BanOfKey | undefined> {
  const { store, now } = context
  if (!isInForce(ban, now)) return undefined
  const entry = entryOf(context, 'ban.lift', {
    accountId: key.accountId,
    details: { keyId: key.id, name: key.name, hint: key.hint },
    before: { liftedAt: null },
    after: { liftedAt: isoTime(now) },
  })
  return (await store.liftBan(ban.id, entry)) ? { ban: { ...ban, liftedAt: now }, key } : undefined
}
