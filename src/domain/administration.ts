import { type Account, parseAccountName } from './account.ts'
import { type ApiKey, generateKey, hashKey, hintOf } from './api-key.ts'
import { type Ban, isInForce } from './ban.ts'
import type { Deployment } from './deployment.ts'
import { Mistake } from './errors.ts'
import { parseInt64 } from './int64.ts'
import { type Limits, limitsOf, parsePlan } from './plan.ts'
import type { NewKey, Store } from './store.ts'

/** What operators do, in one place for every surface they do it on. Each refuses with a `Mistake` what cannot be done. */

/** A key as it is issued: the only moment at which the key itself is known. */
export interface IssuedKey extends ApiKey {
  key: string
}

export type KeyState = 'active' | 'expired' | 'revoked'

export async function createAccount(
  store: Store,
  { name, plan, limits }: { name: string; plan: string; limits: Partial<Limits> },
  now: number,
): Promise<Account> {
  const known = parsePlan(plan)
  return store.createAccount({ name: parseAccountName(name), plan: known, limits: limitsOf(known, limits) }, now)
}

/** Changes an account's plan. What it has used stays used. */
export async function setPlan(
  store: Store,
  { account, plan, limits }: { account: string; plan: string; limits: Partial<Limits> },
): Promise<Account> {
  const { id } = await findAccount(store, account)
  const known = parsePlan(plan)
  await store.setPlan(id, known, limitsOf(known, limits))
  return findAccount(store, String(id))
}

/** Finds an account by its id or its name. */
export async function findAccount(store: Store, nameOrId: string): Promise<Account> {
  const id = parseInt64(nameOrId)
  const account = await (id === undefined ? store.findAccountByName(nameOrId.trim()) : store.findAccount(id))
  if (!account) throw new Mistake(`There is no account "${nameOrId}"; "petstore account list" shows them all.`)
  return account
}

export async function issueKey(
  store: Store,
  deployment: Deployment,
  { account, name, expiresAt }: { account: string; name?: string | undefined; expiresAt?: number | undefined },
  now: number,
): Promise<IssuedKey> {
  const { id } = await findAccount(store, account)
  if (name !== undefined && !/^\P{Cc}{1,100}$/u.test(name)) {
    throw new Mistake('A key name has 1 to 100 characters and no control characters.')
  }
  if (expiresAt !== undefined && expiresAt <= now) throw new Mistake('A key must expire in the future.')
  const key = generateKey(deployment)
  return { ...(await store.createKey(newKey(key, id, name, expiresAt), now)), key }
}

/**
 * Issues a successor with the same name and expiry. The old key goes on working for `overlapSeconds`, never past its own expiry.
 */
export async function rotateKey(
  store: Store,
  deployment: Deployment,
  { keyId, overlapSeconds }: { keyId: string; overlapSeconds: number },
  now: number,
): Promise<IssuedKey> {
  const old = await findKey(store, keyId)
  const state = keyState(old, now)
  if (state !== 'active') throw new Mistake(`Key ${old.id} is ${state}; only an active key can be rotated.`)
  if (old.replacedBy !== undefined) {
    throw new Mistake(`Key ${old.id} has been rotated already; its successor is key ${old.replacedBy}.`)
  }
  const key = generateKey(deployment)
  const oldExpiresAt = Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapSeconds * 1_000)
  const successor = newKey(key, old.accountId, old.name, old.expiresAt)
  return { ...(await store.replaceKey(old.id, oldExpiresAt, successor, now)), key }
}

/** Revokes a key for good, from its next call on. */
export async function revokeKey(store: Store, keyId: string, now: number): Promise<ApiKey> {
  const key = await findKey(store, keyId)
  if (key.revokedAt !== undefined) throw new Mistake(`Key ${key.id} is revoked already.`)
  await store.revokeKey(key.id, now)
  return { ...key, revokedAt: now }
}

export async function listKeys(store: Store, account?: string): Promise<ApiKey[]> {
  return store.listKeys(account === undefined ? undefined : (await findAccount(store, account)).id)
}

export function keyState(key: ApiKey, now: number): KeyState {
  if (key.revokedAt !== undefined) return 'revoked'
  return key.expiresAt !== undefined && key.expiresAt <= now ? 'expired' : 'active'
}

/** The bans in force. */
export async function listBans(store: Store, now: number): Promise<Ban[]> {
  return (await store.listBans()).filter(ban => isInForce(ban, now))
}

/** Ends the ban of a key at once. It still counts as one when the key's next ban is measured. */
export async function liftBan(store: Store, keyId: string, now: number): Promise<Ban> {
  const key = await findKey(store, keyId)
  const ban = (await listBans(store, now)).find(one => one.keyId === key.id)
  if (!ban) throw new Mistake(`Key ${key.id} is not banned.`)
  await store.liftBan(ban.id, now)
  return { ...ban, liftedAt: now }
}

async function findKey(store: Store, keyId: string): Promise<ApiKey> {
  const id = parseInt64(keyId)
  const key = id === undefined ? undefined : await store.findKey(id)
  if (!key) throw new Mistake(`There is no key with id "${keyId}"; "petstore key list" shows them all.`)
  return key
}

function newKey(key: string, accountId: bigint, name: string | undefined, expiresAt: number | undefined): NewKey {
  return { accountId, hash: hashKey(key), hint: hintOf(key), name, expiresAt }
}
