import { type ApiKey, generateKey } from '../api-key.ts'
import { Mistake } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import { parseLabel } from '../label.ts'
import { hashSecret, hintOf } from '../secret.ts'
import type { NewKey, Page, Store } from '../store.ts'
import { findAccount } from './accounts.ts'
import { type Acting, entryOf, optionalTime } from './acting.ts'
import { checkExpiry } from './expiry.ts'

/** A key as it is issued: the only moment at which the key itself is known. */
export interface IssuedKey extends ApiKey {
  key: string
}

type KeyState = 'active' | 'expired' | 'revoked'

/** A year. */
export const LONGEST_OVERLAP_SECONDS = 31_536_000
/** A day. */
export const USUAL_OVERLAP_SECONDS = 86_400

export async function issueKey(
  acting: Acting,
  { account, name: wished, expiresAt }: { account: string; name?: string | undefined; expiresAt?: number | undefined },
): Promise<IssuedKey> {
  const { store, deployment, now } = acting
  const { id } = await findAccount(store, account)
  const name = wished === undefined ? undefined : parseLabel(wished, 'A key name')
  checkExpiry(expiresAt, now, 'A key')
  const key = generateKey(deployment)
  const details = { name, hint: hintOf(key), expires: optionalTime(expiresAt) }
  const entry = entryOf(acting, 'key.issue', details, id)
  return { ...(await store.createKey(newKey(key, id, name, expiresAt), entry)), key }
}

/**
 * Issues a successor with the same name and expiry. The old key goes on working for `overlapSeconds`, never past its own expiry.
 */
export async function rotateKey(
  acting: Acting,
  { keyId, overlapSeconds }: { keyId: string; overlapSeconds: number },
): Promise<{ issued: IssuedKey; old: ApiKey }> {
  const { store, deployment, now } = acting
  if (!(overlapSeconds >= 0 && overlapSeconds <= LONGEST_OVERLAP_SECONDS)) {
    throw new Mistake('invalid', `An overlap has 0 to ${LONGEST_OVERLAP_SECONDS} seconds, which is a year.`)
  }
  const old = await findKey(store, keyId)
  const state = keyState(old, now)
  if (state !== 'active') throw new Mistake('conflict', `Key ${old.id} is ${state}; only an active key can be rotated.`)
  if (old.replacedBy !== undefined) {
    throw new Mistake('conflict', `Key ${old.id} has been rotated already; its successor is key ${old.replacedBy}.`)
  }
  const key = generateKey(deployment)
  const expiresAt = Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapSeconds * 1_000)
  const details = { hint: hintOf(key), 'old key works until': optionalTime(expiresAt) }
  const entry = entryOf(acting, 'key.rotate', details, old.accountId)
  const successor = await store.replaceKey(
    old.id,
    expiresAt,
    newKey(key, old.accountId, old.name, old.expiresAt),
    entry,
  )
  if (!successor) throw new Mistake('conflict', `Key ${old.id} has just been rotated or revoked by someone else.`)
  return { issued: { ...successor, key }, old: { ...old, expiresAt, replacedBy: successor.id } }
}

/** Revokes a key for good, from its next call on. */
export async function revokeKey(acting: Acting, keyId: string): Promise<ApiKey> {
  const { store, now } = acting
  const key = await findKey(store, keyId)
  const entry = entryOf(acting, 'key.revoke', { name: key.name, hint: key.hint }, key.accountId)
  if (!(await store.revokeKey(key.id, entry))) throw new Mistake('conflict', `Key ${key.id} is revoked already.`)
  return { ...key, revokedAt: now }
}

export async function listKeys(store: Store, account?: string, page?: Page): Promise<ApiKey[]> {
  return store.listKeys(account === undefined ? undefined : (await findAccount(store, account)).id, page)
}

export async function findKey(store: Store, keyId: string): Promise<ApiKey> {
  const id = parseInt64(keyId)
  const key = id === undefined ? undefined : await store.findKey(id)
  if (!key) throw new Mistake('not_found', `There is no key with id "${keyId}".`)
  return key
}

export function keyState(key: ApiKey, now: number): KeyState {
  if (key.revokedAt !== undefined) return 'revoked'
  return key.expiresAt !== undefined && key.expiresAt <= now ? 'expired' : 'active'
}

function newKey(key: string, accountId: bigint, name: string | undefined, expiresAt: number | undefined): NewKey {
  return { accountId, hash: hashSecret(key), hint: hintOf(key), name, expiresAt }
}
